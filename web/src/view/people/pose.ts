// A placement as it is sent.
import { type Matrix4, Quaternion, Vector3 } from "three";
import type { PersonHand } from "../../wire/messages.ts";

/** Wire numbers of a placement; a scale is left out, and digits that nobody sees. */
export function poseOf(matrix: Matrix4): PersonHand["pose"] {
  const [p, q, s] = [new Vector3(), new Quaternion(), new Vector3()];
  matrix.decompose(p, q, s);
  const round = (x: number): number => Number(x.toPrecision(7));
  return [q.w, q.x, q.y, q.z, p.x, p.y, p.z].map(round) as PersonHand["pose"];
}
