// Little rotations and poses: quaternions wxyz, poses are quaternion then place.
import type { Quat, Vec3 } from "./report.ts";

export type Three = [number, number, number];
export type Four = [number, number, number, number];

/** The three numbers of a vector, as messages hold them. */
export function three([x, y, z]: Vec3): Three {
  return [x, y, z];
}
export function cross(a: Vec3, b: Vec3): Three {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** a + s b */
export function along(a: Vec3, s: number, b: Vec3): Three {
  return [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
}

export function minus(a: Vec3, b: Vec3): Three {
  return along(a, -1, b);
}

export function scaled(s: number, a: Vec3): Three {
  return [s * a[0], s * a[1], s * a[2]];
}

/** The unit vector along a; z where a has no length. */
export function unit(a: Vec3): Three {
  const length = Math.hypot(a[0], a[1], a[2]);
  return length > 0 ? scaled(1 / length, a) : [0, 0, 1];
}

/** A vector turned by a quaternion (the first four numbers). */
export function rotate(q: Quat, a: Vec3): Three {
  const u: Three = [q[1], q[2], q[3]];
  const t = scaled(2, cross(u, a));
  return along(along(a, q[0], t), 1, cross(u, t));
}

/** A vector in the axes that the quaternion turns. */
export function rotateBack(q: Quat, a: Vec3): Three {
  return rotate(conjugate(q), a);
}

export function conjugate(q: Quat): Four {
  return [q[0], -q[1], -q[2], -q[3]];
}

export function multiply(a: Quat, b: Quat): Four {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/** The quaternion that turns by |w| about w. */
export function fromRotationVector(w: Vec3): Four {
  const angle = Math.hypot(w[0], w[1], w[2]);
  const s = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), s * w[0], s * w[1], s * w[2]];
}

/** The turn from a to b as a vector: its length is the angle, at most half a turn. */
export function rotationVector(a: Quat, b: Quat): Three {
  const d = multiply(conjugate(a), b);
  const sign = d[0] < 0 ? -1 : 1;
  const s = Math.hypot(d[1], d[2], d[3]);
  const angle = 2 * Math.atan2(s, sign * d[0]);
  const factor = s > 1e-12 ? (sign * angle) / s : 2 * sign;
  return [factor * d[1], factor * d[2], factor * d[3]];
}

/** A point given in a frame, in the world; pose: 7 numbers. */
export function applyPose(pose: ArrayLike<number>, point: Vec3): Three {
  return along(rotate(quatOf(pose), point), 1, [pose[4], pose[5], pose[6]]);
}

/** A point of the world, in a frame; pose: 7 numbers. */
export function applyPoseBack(pose: ArrayLike<number>, point: Vec3): Three {
  return rotateBack(quatOf(pose), minus(point, [pose[4], pose[5], pose[6]]));
}

export function quatOf(pose: ArrayLike<number>): Four {
  return [pose[0], pose[1], pose[2], pose[3]];
}

export function placeOf(pose: ArrayLike<number>): Three {
  return [pose[4], pose[5], pose[6]];
}

/** The pose of one site among those of all. */
export function poseAt(poses: Float64Array, site: number): Float64Array {
  return poses.subarray(7 * site, 7 * site + 7);
}
