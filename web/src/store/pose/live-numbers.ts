// Parameters and numbers changed while the mechanism is shown: loops closed again at each value.
import { type HandleSpec, type SolveReport, stuckReport } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import { lengthWords } from "../../kernel/reasons.ts";
import { SHUT } from "../../kernel/tables/tolerances.ts";
import { isOpen } from "./openings.ts";

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
  /** Where the mechanism stood before the first change, and where the last one has put it. */
  private way: { from: Float64Array; to: Float64Array } | null = null;

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
    if (this.changes.size === 0) this.way = null;
  }

  /** The pose before what is pending; null where it was moved otherwise since. */
  origin(q: Float64Array): Float64Array | null {
    const { way } = this;
    return way?.to.length === q.length && way.to.every((x, i) => x === q[i]) ? way.from : null;
  }

  /** Sets a number and closes the loops again. */
  set(
    model: PageModel,
    q: Float64Array,
    change: NumberChange,
    pins: readonly HandleSpec[],
  ): Refusal {
    const before = q.slice();
    const refusal = apply(model, q, change, pins);
    if (refusal !== null) return refusal;
    this.way = { from: this.origin(before) ?? before, to: q.slice() };
    this.changes.set(keyOf(change), change);
    return null;
  }

  /** Sets what is pending in a model that was created again; what does not fit any more is dropped. */
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
  if (slot.formula)
    return `${name} follows the formula '${slot.text}': change the parameters that it uses`;
  if (!Number.isFinite(value)) return `${name} needs a finite number`;
  const set = (x: number): boolean =>
    owner === null ? model.setParameter(slot.index, x) : model.setNumber(slot.index, x);
  const before = model.reals[slot.index];
  const start = q.slice();
  const wasOpen = isOpen(model, q);
  if (!set(value)) return `${name} cannot have this value: a formula has no finite result`;
  let first: SolveReport | null = null;
  for (const locked of ways(model)) {
    const wanted = { pins, locked };
    let report = model.close(q, wanted);
    if (report.outcome !== "stuck") return null;
    first = report;
    // a large change may still be possible in small ones
    let step = 1;
    for (; step <= STEPS; ++step) {
      if (!set(before + ((value - before) * step) / STEPS)) break;
      report = model.close(q, wanted);
      if (report.outcome === "stuck") break;
    }
    if (step > STEPS) return null;
    q.set(start);
    set(value);
  }
  // what was open before may stay so: else it could not be mended step by step
  if (wasOpen && pins.length === 0) return null;
  set(before);
  const { gap, pinError } = first!;
  return pinError > SHUT * model.size
    ? `${name} keeps its value: the pins would be missed by ${lengthWords(pinError)}`
    : `${name} keeps its value: the loops would stay open by ${lengthWords(gap)}`;
}

/** Closes the loops near q in place; motors keep their values as long as that is possible. */
export function closeKeepingMotors(
  model: PageModel,
  q: Float64Array,
  pins: readonly HandleSpec[] = [],
): SolveReport {
  let report = stuckReport(model.nv);
  for (const locked of ways(model)) {
    report = model.close(q, { pins, locked });
    if (report.outcome !== "stuck") break;
  }
  return report;
}

/** What is held while loops are closed: the motors, and where that is in vain nothing. */
function ways(model: PageModel): (Int32Array | null)[] {
  const held = model.motors;
  return held.includes(1) ? [held, null] : [null];
}
