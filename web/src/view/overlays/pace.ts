// Speeds and accelerations of the joints as they are seen: differences of poses over time.
import type { ModelHost } from "../../store/hosts.ts";

/** Speeds are averaged over about this time [s]: hands tremble. */
const SMOOTH = 0.06;
/** After this time without a new pose everything stands still [s]. */
const REST = 0.12;

export class Pace {
  private last: { q: Float64Array; at: number } | null = null;
  private v = new Float64Array(0);
  private a = new Float64Array(0);
  private readonly end: () => void;

  constructor(private readonly studio: ModelHost) {
    this.end = studio.on("pose", () => this.sample());
  }

  restart(): void {
    this.last = null;
    this.v = new Float64Array(this.studio.model?.nv ?? 0);
    this.a = this.v.slice();
  }

  /** [rad/s, m/s] per variable. */
  velocity(): Float64Array {
    this.settle();
    return this.v;
  }

  /** [rad/s², m/s²] per variable. */
  acceleration(): Float64Array {
    this.settle();
    return this.a;
  }

  get isMoving(): boolean {
    return this.v.some((x) => x !== 0) || this.a.some((x) => x !== 0);
  }

  dispose(): void {
    this.end();
  }

  private sample(): void {
    const { model, q } = this.studio;
    if (!model) return;
    const at = this.studio.clock();
    const { last } = this;
    this.last = { q, at };
    if (!last || last.q.length !== q.length || this.v.length !== model.nv) {
      this.restart();
      this.last = { q, at };
      return;
    }
    const dt = at - last.at;
    if (dt < 1e-4 || dt > 0.5) return;
    const step = model.difference(last.q, q);
    const share = 1 - Math.exp(-dt / SMOOTH);
    for (let i = 0; i < step.length; i++) {
      const before = this.v[i];
      this.v[i] += (step[i] / dt - before) * share;
      this.a[i] += ((this.v[i] - before) / dt - this.a[i]) * share;
    }
  }

  /** Lets everything come to rest when no pose has come for a while. */
  private settle(): void {
    if (!this.last || this.studio.clock() - this.last.at < REST) return;
    for (const values of [this.v, this.a])
      for (let i = 0; i < values.length; i++)
        values[i] = Math.abs(values[i]) < 1e-3 ? 0 : 0.7 * values[i];
  }
}
