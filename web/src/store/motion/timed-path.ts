// Ways through configurations over time: closed at every moment, never a jump.
import type { CloseOptions, PageModel } from "../../kernel/page-model.ts";
import { variableUnit } from "../../kernel/reasons.ts";

export interface Path {
  /** Rising [s]. */
  times: ArrayLike<number> & { readonly length: number };
  poses: readonly Float64Array[];
}

/** Largest share of a jump that closing may add to a step before it counts as one [rad, sizes]. */
const JUMP = 0.3;

/** Scale of each degree of freedom: lengths by the mechanism's size, angles by one. */
export function scales(model: PageModel): Float64Array {
  const scale = new Float64Array(model.nv).fill(1);
  for (const joint of model.data.joints)
    for (let k = 0; k < joint.nv; ++k)
      if (variableUnit(joint.type, k) === "m") scale[joint.v + k] = model.size;
  return scale;
}

/** The largest move of any degree of freedom between two poses [rad, or sizes of the mechanism]. */
export function farthest(model: PageModel, a: Float64Array, b: Float64Array): number {
  const scale = scales(model);
  const move = model.difference(a, b);
  return move.reduce((most, value, i) => Math.max(most, Math.abs(value / scale[i])), 0);
}

/** Closes the loops of q in place; false, and q as it was, when they stay open or it would jump. */
export function closeNear(
  model: PageModel,
  q: Float64Array,
  options: CloseOptions & { jump?: number } = {},
): boolean {
  if (model.counts.loop === 0 && !options.pins?.length) return true;
  const before = q.slice();
  const report = model.close(q, options);
  if (report.outcome === "stuck" || farthest(model, before, q) > (options.jump ?? JUMP)) {
    q.set(before);
    return false;
  }
  return true;
}

/** The pose a share of the way from a to b, by the shortest way of every joint; loops not closed. */
export function between(
  model: PageModel,
  a: Float64Array,
  b: Float64Array,
  share: number,
): Float64Array {
  return model.integrate(
    a,
    model.difference(a, b).map((value) => share * value),
  );
}

/** Index of the last time that is not after t: 0 … count − 2. */
export function segmentAt(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = Math.max(0, times.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The pose at a time; loops are not yet closed between the given poses. */
export function samplePath(
  model: PageModel,
  path: Path,
  t: number,
  interpolation: "linear" | "cubic",
): Float64Array {
  const { times, poses } = path;
  const last = poses.length - 1;
  if (t <= times[0] || last === 0) return poses[0].slice();
  if (t >= times[last]) return poses[last].slice();
  const i = segmentAt(times, t);
  const span = times[i + 1] - times[i];
  const s = span > 0 ? (t - times[i]) / span : 1;
  if (s === 0) return poses[i].slice();
  const way = model.difference(poses[i], poses[i + 1]);
  if (interpolation === "linear" || last < 2)
    return model.integrate(
      poses[i],
      way.map((value) => s * value),
    );
  // cubic Hermite in the tangent space of the segment's first pose
  const begin = slope(model, path, i);
  const end = slope(model, path, i + 1);
  const move = way.map(
    (value, k) =>
      s * s * (3 - 2 * s) * value +
      s * (1 - s) * (1 - s) * span * begin[k] -
      s * s * (1 - s) * span * end[k],
  );
  return model.integrate(poses[i], move);
}

/** Speed at a given pose: that of the parabola through it and its neighbours. */
function slope(model: PageModel, { times, poses }: Path, i: number): Float64Array {
  const last = poses.length - 1;
  const rate = (k: number): Float64Array => {
    const span = times[k + 1] - times[k];
    return model.difference(poses[k], poses[k + 1]).map((value) => (span > 0 ? value / span : 0));
  };
  if (i === 0) return rate(0);
  if (i === last) return rate(last - 1);
  const before = times[i] - times[i - 1];
  const after = times[i + 1] - times[i];
  const weight = before + after > 0 ? before / (before + after) : 0.5;
  const next = rate(i);
  return rate(i - 1).map((value, k) => (1 - weight) * value + weight * next[k]);
}

/** Times at which poses are passed so that no joint exceeds its motor's speed, nor `usual`. */
export function paced(
  model: PageModel,
  poses: readonly Float64Array[],
  usual: number,
): Float64Array {
  const times = new Float64Array(poses.length);
  const scale = scales(model);
  const { speed } = model;
  for (let i = 1; i < poses.length; ++i) {
    const move = model.difference(poses[i - 1], poses[i]);
    const span = move.reduce(
      (most, value, k) => Math.max(most, Math.abs(value) / Math.min(speed[k], usual * scale[k])),
      0,
    );
    times[i] = times[i - 1] + span;
  }
  return times;
}
