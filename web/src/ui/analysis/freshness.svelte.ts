// Whether an answer still fits: it belongs to the lengths and to the pose that it was made for.
import type { ModelHost } from "../../store/hosts.ts";
import type { AppOf } from "../state/app.svelte.ts";

/** Poses that differ by less are the same. */
const SAME = 1e-6;

export class Freshness {
  private made = $state.raw<{ reals: Float64Array; q: Float64Array } | null>(null);

  constructor(private readonly app: AppOf<ModelHost>) {}

  /** An answer is asked for now. */
  mark(): void {
    const { model, q } = this.app.studio;
    this.made = model && { reals: model.reals.slice(), q: q.slice() };
  }

  /** Whether lengths or other numbers are not what they were. */
  get isChanged(): boolean {
    const reals = this.app.live.model?.reals;
    const made = this.made?.reals;
    if (!made || !reals) return false;
    return made.length !== reals.length || made.some((x, i) => !Object.is(x, reals[i]));
  }

  /** Why the answer is old; null while it is not. */
  get reason(): string | null {
    const { made } = this;
    const { q } = this.app.live;
    if (!made) return null;
    if (this.isChanged) return "The mechanism has changed since.";
    if (made.q.length !== q.length || made.q.some((x, i) => Math.abs(x - q[i]) > SAME))
      return "It has moved since.";
    return null;
  }
}
