// How far sliding joints are out, so that rods and rails are made long enough.
import type { ShapeModel, Travels } from "./data.ts";
import { traitsOf } from "../kernel/tables/joint-types.ts";

/** Displacement of each sliding joint in a pose [m], from the poses of all links (wxyz xyz). */
export function posedTravels(model: ShapeModel, poses: ArrayLike<number>): Map<number, number> {
  const landings = new Map(model.data.loops.map((loop) => [loop.joint, loop.placement]));
  const travels = new Map<number, number>();
  model.data.joints.forEach((joint, index) => {
    if (!traitsOf(joint.type).slidesAlongAxis) return;
    const F = placed(model, poses, joint.parent, joint.placement);
    const landing = landings.get(index);
    const M =
      landing === undefined
        ? origin(poses, joint.child)
        : placed(model, poses, joint.child, landing).p;
    const z = F.z;
    travels.set(index, z[0] * (M[0] - F.p[0]) + z[1] * (M[1] - F.p[1]) + z[2] * (M[2] - F.p[2]));
  });
  return travels;
}

/**
 * Travels with which a slider looks right all the way between its limits: a rod that neither
 * leaves its sleeve nor comes out behind it, a rail that reaches to the far end.
 */
export function roomyTravels(
  model: ShapeModel,
  poses: ArrayLike<number>,
  lower: ArrayLike<number>,
  upper: ArrayLike<number>,
): Travels {
  const travels = posedTravels(model, poses);
  for (const [index, posed] of travels) {
    const joint = model.data.joints[index];
    // The sliding degree of freedom of a prismatic joint is its first, of a cylindrical one its second.
    if (traitsOf(joint.type).hasPitch) continue;
    const at = joint.v + traitsOf(joint.type).lengths.indexOf(true);
    const ends = [lower[at], upper[at]].filter((end) => Number.isFinite(end));
    if (ends.length < 2) continue;
    const far = Math.abs(ends[0]) > Math.abs(ends[1]) ? ends[0] : ends[1];
    const onRail = joint.parent === 0 || traitsOf(joint.type).turnsInPlace;
    if (onRail) travels.set(index, far);
    else if (far !== 0 && Math.sign(far) === Math.sign(posed || far)) {
      // A rod of 0.95 of the travel in a sleeve of 0.55 of it still overlaps at 1.45 of it.
      travels.set(index, Math.sign(far) * Math.min(Math.abs(far) / 1.45, Math.abs(posed)));
    }
  }
  return travels;
}

type Vec = [number, number, number];

const origin = (poses: ArrayLike<number>, link: number): Vec => [
  poses[7 * link + 4],
  poses[7 * link + 5],
  poses[7 * link + 6],
];

/** Origin and z axis in the world of a frame placed on a link. */
function placed(
  model: ShapeModel,
  poses: ArrayLike<number>,
  link: number,
  row: number,
): { p: Vec; z: Vec } {
  const T = model.transforms;
  const at = 12 * row;
  const o = origin(poses, link);
  const p = turned(poses, link, [T[at + 9], T[at + 10], T[at + 11]]);
  return {
    p: [o[0] + p[0], o[1] + p[1], o[2] + p[2]],
    z: turned(poses, link, [T[at + 2], T[at + 5], T[at + 8]]),
  };
}

/** A vector of a link's frame, in the world. */
function turned(poses: ArrayLike<number>, link: number, [x, y, z]: Vec): Vec {
  const [w, a, b, c] = [0, 1, 2, 3].map((i) => poses[7 * link + i]);
  const [tx, ty, tz] = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
  return [x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx];
}
