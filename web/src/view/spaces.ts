// The only place where the world (z up, wxyz) meets three.js (y up, xyzw).
import { Group, Matrix4, Quaternion, Vector3 } from "three";

export type Point = readonly [number, number, number];

/** Root of everything in world coordinates: turned so that its z is three's y. */
export function worldRoot(): Group {
  const root = new Group();
  root.name = "world";
  root.rotation.x = -Math.PI / 2;
  root.updateMatrixWorld(true);
  return root;
}

/** A vector of the world as three.js sees it. */
export const toThree = (v: ArrayLike<number>, out = new Vector3()): Vector3 =>
  out.set(v[0], v[2], -v[1]);

/** A vector of three.js in the world. */
export const fromThree = (v: Vector3): [number, number, number] => [v.x, -v.z, v.y];

const position = new Vector3();
const quaternion = new Quaternion();
const ONE = new Vector3(1, 1, 1);

/** Matrix of pose number i of a row of poses (wxyz xyz each). */
export function poseMatrix(poses: ArrayLike<number>, i: number, out: Matrix4): Matrix4 {
  const at = 7 * i;
  quaternion.set(poses[at + 1], poses[at + 2], poses[at + 3], poses[at]);
  position.set(poses[at + 4], poses[at + 5], poses[at + 6]);
  return out.compose(position, quaternion, ONE);
}

/** Matrix of a placed frame (rotation by rows, translation): row i of a model's transforms. */
export function placementMatrix(T: ArrayLike<number>, i: number, out: Matrix4): Matrix4 {
  const a = 12 * i;
  return out.set(
    T[a], T[a + 1], T[a + 2], T[a + 9],
    T[a + 3], T[a + 4], T[a + 5], T[a + 10],
    T[a + 6], T[a + 7], T[a + 8], T[a + 11],
    0, 0, 0, 1,
  ); // prettier-ignore
}
