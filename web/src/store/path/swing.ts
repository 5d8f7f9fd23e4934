// The swing: what a mechanism can still do while its motors hold, such as a pair of rods on balls.
import { canFindMotions, freeMotions } from "../../kernel/mobility.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import { between, closeNear, segmentAt } from "../motion/timed-path.ts";

/** Joints move by this much per step at most [rad, sizes]. */
const STEP = 0.1;
/** Steps to each side at most. */
const MOST = 100;
/** Places this many steps apart define the circle. */
const APART = 10;
/** A swing that moves the frame by less than this share of the mechanism is none. */
const SEEN = 1e-3;

/** Poses of a swing with the angle that the frame has turned about its circle [rad]. */
export interface Swing {
  angles: number[];
  poses: Float64Array[];
}

/** Degrees of freedom with motors, 1 each; null without motors. */
export function motorMarks(model: PageModel): Int32Array | null {
  const marks = new Int32Array(model.nv);
  let any = false;
  for (const joint of model.data.joints)
    joint.variables.forEach((variable, k) => {
      if (!variable.motor) return;
      marks[joint.v + k] = 1;
      any = true;
    });
  return any ? marks : null;
}

/** Whether the mechanism swings: one degree of freedom is left with all motors held, and a frame shows it. */
export function hasSwing(model: PageModel, q: Float64Array, site: number): boolean {
  return direction(model, q, site, null) !== null;
}

/** All poses of the swing through q, motors held; null where there is none. */
export function swingOf(model: PageModel, q: Float64Array, site: number): Swing | null {
  const there = walk(model, q, site, 1);
  const back = walk(model, q, site, -1);
  if (there === null || back === null) return null;
  const poses = [...back.toReversed(), q.slice(), ...there];
  const angles = anglesOf(
    poses.map((pose) => model.forward(pose).slice(7 * site + 4, 7 * site + 7)),
    back.length,
  );
  if (angles === null) return null;
  // once round is enough
  const kept = angles.flatMap((angle, i) => (Math.abs(angle) <= Math.PI + 0.02 ? [i] : []));
  return { angles: kept.map((i) => angles[i]), poses: kept.map((i) => poses[i]) };
}

/** The pose of a swing at an angle [rad], loops closed and motors where they are. */
export function swungTo(model: PageModel, { angles, poses }: Swing, angle: number): Float64Array {
  const i = segmentAt(angles, angle);
  if (angles.length < 2) return poses[0];
  const share = Math.min(1, Math.max(0, (angle - angles[i]) / (angles[i + 1] - angles[i])));
  const q = between(model, poses[i], poses[i + 1], share);
  return closeNear(model, q, { locked: motorMarks(model) }) ? q : poses[share < 0.5 ? i : i + 1];
}

function walk(
  model: PageModel,
  q: Float64Array,
  site: number,
  sign: number,
): Float64Array[] | null {
  const locked = motorMarks(model);
  const found: Float64Array[] = [];
  let here: Float64Array = q.slice();
  let last = direction(model, here, site, null);
  if (last === null || locked === null) return null;
  last = last.map((x) => sign * x);
  for (let i = 0; i < MOST; ++i) {
    const next = direction(model, here, site, last);
    if (next === null) break;
    const step = model.integrate(
      here,
      next.map((x) => STEP * x),
    );
    if (!closeNear(model, step, { locked })) break;
    found.push(step);
    here = step;
    last = next;
  }
  return found;
}

/** The one free motion with the motors held, on along `before`; null where there is no such. */
function direction(
  model: PageModel,
  q: Float64Array,
  site: number,
  before: Float64Array | null,
): Float64Array | null {
  const locked = motorMarks(model);
  if (locked === null || !canFindMotions(model)) return null;
  const motions = freeMotions(model, q, locked);
  if (motions.length !== 1) return null;
  const [motion] = motions;
  if (before === null) {
    const J = model.jacobian(q, site);
    const nv = model.nv;
    const speed = [0, 1, 2].map((row) =>
      motion.reduce((sum, x, k) => sum + J[row * nv + k] * x, 0),
    );
    return Math.hypot(...speed) > SEEN * model.size ? motion : null;
  }
  const along = motion.reduce((sum, x, k) => sum + x * before[k], 0);
  return along < 0 ? motion.map((x) => -x) : motion;
}

/** How far each place has turned about the circle through all of them, from that at `zero`. */
function anglesOf(places: Float64Array[], zero: number): number[] | null {
  const near = (i: number) => places[Math.min(places.length - 1, Math.max(0, i))];
  const third = Math.max(1, Math.min(APART, places.length >> 2));
  const first = Math.min(Math.max(zero, third), places.length - 1 - third);
  const centre = circleCentre(near(first - third), near(first), near(first + third));
  if (centre === null) return null;
  const arm = (i: number) => [0, 1, 2].map((k) => places[i][k] - centre[k]);
  const angles = [0];
  for (let i = 1; i < places.length; ++i) {
    const [a, b] = [arm(i - 1), arm(i)];
    const dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const cross = Math.hypot(
      a[1] * b[2] - a[2] * b[1],
      a[2] * b[0] - a[0] * b[2],
      a[0] * b[1] - a[1] * b[0],
    );
    angles.push(angles[i - 1] + Math.atan2(cross, dot));
  }
  return angles.map((angle) => angle - angles[zero]);
}

/** Centre of the circle through three places; null where they lie on a line. */
function circleCentre(a: Float64Array, b: Float64Array, c: Float64Array): number[] | null {
  const [u, w] = [b, c].map((p) => [0, 1, 2].map((k) => p[k] - a[k]));
  const n = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
  const nn = n[0] ** 2 + n[1] ** 2 + n[2] ** 2;
  const [uu, ww] = [u, w].map((v) => v[0] ** 2 + v[1] ** 2 + v[2] ** 2);
  if (!(nn > 1e-14 * uu * ww)) return null;
  // (|w|² u − |u|² w) × … : the usual formula of the circumcentre
  const m = [0, 1, 2].map((k) => ww * u[k] - uu * w[k]);
  const cross = [m[1] * n[2] - m[2] * n[1], m[2] * n[0] - m[0] * n[2], m[0] * n[1] - m[1] * n[0]];
  return [0, 1, 2].map((k) => a[k] - cross[k] / (2 * nn));
}
