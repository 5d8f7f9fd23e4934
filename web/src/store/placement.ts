// A pose as rows of a file give it: xyz [m], and rpy [rad] where it is turned.
import type { Three } from "../kernel/spatial.ts";
import type { PlacementData } from "../wire/messages.ts";

/** What is written is rounded to this: a micrometre, a microradian. */
const DIGITS = 6;

const rounded = (x: number): number => Number(x.toFixed(DIGITS)) || 0;

/** A pose (wxyz xyz) as keys of a row. */
export function placement(pose: ArrayLike<number>): PlacementData {
  const xyz: Three = [rounded(pose[4]), rounded(pose[5]), rounded(pose[6])];
  const [roll, pitch, yaw] = toRpy(pose);
  const rpy: Three = [rounded(roll), rounded(pitch), rounded(yaw)];
  return rpy.some((angle) => angle !== 0) ? { xyz, rpy } : { xyz };
}

/** Roll about x, then pitch about y, then yaw about z, all fixed axes, of a quaternion wxyz. */
export function toRpy(q: ArrayLike<number>): Three {
  const [w, x, y, z] = [q[0], q[1], q[2], q[3]];
  const sine = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  const pitch = Math.asin(sine);
  // looking straight up or down, roll and yaw are one: all of it is called yaw
  if (Math.abs(sine) > 1 - 1e-9) return [0, pitch, -2 * Math.sign(sine) * Math.atan2(x, w)];
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    pitch,
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}

export function fromRpy([roll, pitch, yaw]: Three): [number, number, number, number] {
  const [a, b, c] = [Math.cos(roll / 2), Math.cos(pitch / 2), Math.cos(yaw / 2)];
  const [d, e, f] = [Math.sin(roll / 2), Math.sin(pitch / 2), Math.sin(yaw / 2)];
  return [
    a * b * c + d * e * f,
    d * b * c - a * e * f,
    a * e * c + d * b * f,
    a * b * f - d * e * c,
  ];
}
