// Charts of a path: joint values, speeds and accelerations over time or way, with limits and gaps.
import type { PathPlan } from "../../store/path/plan.ts";
import type { ModelData } from "../../wire/messages.ts";

export type Rate = "values" | "speeds" | "accelerations";

export interface PathLine {
  label: string;
  quantity: "angle" | "length" | "number";
  motor: boolean;
  /** [SI]; NaN in gaps. */
  values: number[];
  low: number;
  high: number;
}

interface Limits {
  lower: ArrayLike<number>;
  upper: ArrayLike<number>;
  speed: ArrayLike<number>;
}

/** Index of the first point, and how many, of what is charted: all, or the stretch that is timed. */
export function charted(plan: PathPlan): { first: number; count: number } {
  return plan.timed ?? { first: 0, count: plan.count };
}

/** Times [s] or ways [m] of the charted points. */
export function axisOf(plan: PathPlan, over: "time" | "way"): number[] {
  const { first, count } = charted(plan);
  const times = plan.timed ? plan.timed.times : plan.times;
  const values = over === "time" ? times : plan.ways.subarray(first, first + count);
  return Array.from(values);
}

/** A line per plain joint variable; those that stand still are left out. */
export function pathLines(
  data: ModelData,
  plan: PathPlan,
  rate: Rate,
  limits: Limits,
  largest: { turn: number; slide: number } | null = null,
): PathLine[] {
  const { first, count } = charted(plan);
  const found: PathLine[] = [];
  for (const joint of data.joints) {
    if (joint.nq !== joint.nv) continue;
    joint.variables.forEach((variable, k) => {
      const [column, index] = [joint.q + k, joint.v + k];
      const positions = column_(plan.poses, plan.nq, column, first, count);
      if (!moves(positions)) return;
      const own = plan.timed
        ? column_(rate === "speeds" ? plan.timed.v : plan.timed.vdot, plan.nv, index, 0, count)
        : column_(rate === "speeds" ? plan.v : plan.vdot, plan.nv, index, first, count);
      const most =
        rate === "speeds"
          ? limits.speed[index]
          : variable.quantity === "length"
            ? (largest?.slide ?? Infinity)
            : (largest?.turn ?? Infinity);
      found.push({
        label: joint.variables.length > 1 ? `${joint.name} ${variable.name}` : joint.name,
        quantity: variable.quantity,
        motor: variable.motor,
        values: broken(plan, rate === "values" ? positions : own, first),
        low: rate === "values" ? limits.lower[index] : variable.motor ? -most : -Infinity,
        high: rate === "values" ? limits.upper[index] : variable.motor ? most : Infinity,
      });
    });
  }
  return found;
}

function column_(
  table: ArrayLike<number>,
  width: number,
  column: number,
  first: number,
  count: number,
): number[] {
  return Array.from({ length: count }, (_, i) => table[(first + i) * width + column]);
}

const moves = (values: readonly number[]): boolean => {
  const known = values.filter(Number.isFinite);
  return known.length > 0 && Math.max(...known) - Math.min(...known) > 1e-6;
};

/** Lines are joined within unbroken stretches only: a leap is no motion. */
function broken(plan: PathPlan, values: number[], first: number): number[] {
  for (const [start] of plan.answer.runs.slice(1)) {
    const i = start - first;
    if (i > 0 && i < values.length && plan.isReached(start - 1)) values[i] = NaN;
  }
  return values;
}

/** Whether a line leaves its limits anywhere. */
export function exceeds({ values, low, high }: PathLine): boolean {
  const room = 1e-6 * Math.max(1, Math.abs(low), Math.abs(high));
  return values.some((x) => x > high + room || x < low - room);
}
