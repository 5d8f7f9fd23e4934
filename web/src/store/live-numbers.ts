// Parameters and numbers changed while the mechanism is shown: loops closed again at each value.
import type { HandleSpec } from "../kernel/dragger.ts";
import type { PageModel } from "../kernel/page-model.ts";
import { lengthWords } from "../kernel/reasons.ts";

/** One change; owner is null for a parameter. */
export interface NumberChange {
  owner: string | null;
  key: string;
  value: number;
}

/** Null: taken, q closed in place. Else why it was refused: nothing has changed then. */
export type Refusal = string | null;

/** Steps in which a change is tried when the loops do not close at once. */
const STEPS = 12;

export class LiveNumbers {
  private readonly changes = new Map<string, NumberChange>();

  /** What was changed here and is not yet in the text. */
  get pending(): NumberChange[] {
    return [...this.changes.values()];
  }

  /** Forgets what was changed: it is in the text now, or not wanted any more. */
  clear(committed: readonly NumberChange[] = this.pending): void {
    for (const change of committed) {
      const key = keyOf(change);
      // a later value of the same number is still to be committed
      if (this.changes.get(key)?.value === change.value) this.changes.delete(key);
    }
  }

  /** Sets a number and closes the loops again. */
  set(
    model: PageModel,
    q: Float64Array,
    change: NumberChange,
    pins: readonly HandleSpec[],
  ): Refusal {
    const refusal = apply(model, q, change, pins);
    if (refusal === null) this.changes.set(keyOf(change), change);
    return refusal;
  }

  /** Sets what is pending in a model that was made anew; what does not fit any more is dropped. */
  reapply(model: PageModel, q: Float64Array, pins: readonly HandleSpec[]): void {
    for (const change of this.pending)
      if (apply(model, q, change, pins) !== null) this.changes.delete(keyOf(change));
  }
}

function keyOf({ owner, key }: NumberChange): string {
  return JSON.stringify([owner, key]);
}

function apply(
  model: PageModel,
  q: Float64Array,
  change: NumberChange,
  pins: readonly HandleSpec[],
): Refusal {
  const { owner, key, value } = change;
  const { parameters, numbers } = model.data;
  const slot =
    owner === null
      ? parameters.find((one) => one.name === key)
      : numbers.find((one) => one.owner === owner && one.key === key);
  const name = owner === null ? `'${key}'` : `'${key}' of '${owner}'`;
  if (slot === undefined) return `this mechanism has no number ${name}`;
  if (slot.formula) return `${name} follows the formula '${slot.text}': change what it is made of`;
  if (!Number.isFinite(value)) return `${name} needs a finite number`;
  const set = (x: number): boolean =>
    owner === null ? model.setParameter(slot.index, x) : model.setNumber(slot.index, x);
  const before = model.reals[slot.index];
  const start = q.slice();
  if (!set(value)) return `${name} cannot have this value: a formula has no finite result`;
  const wanted = { pins };
  let report = model.close(q, wanted);
  if (report.outcome !== "stuck") return null;
  const { gap, pinError } = report;
  // a large change may still be possible in small ones
  for (let step = 1; step <= STEPS; ++step) {
    const isPossible = set(before + ((value - before) * step) / STEPS);
    report = model.close(q, wanted);
    if (!isPossible || report.outcome === "stuck") {
      set(before);
      q.set(start);
      return pinError > 1e-9
        ? `${name} keeps its value: the pins would lack ${lengthWords(pinError)}`
        : `${name} keeps its value: the loops would stay open by ${lengthWords(gap)}`;
    }
  }
  return null;
}
