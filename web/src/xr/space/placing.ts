// Putting the mechanism on a real table or floor: what a hand points at, and the room for which the
// mechanism stands there. Pure maths.
import { Matrix4, Quaternion, Vector3 } from "three";
import { toRoom, turnFrom, type Head, type Rig, type Standing } from "./rig.ts";

/** A surface that slopes by less than this carries something [rad]. */
const LEVEL = 0.3;

/** A place on a real surface, in the room. */
export interface Surface {
  at: Vector3;
  /** Out of the surface, unit length. */
  normal: Vector3;
}

/** The surface of a hit test: its pose has y out of the surface. X_RH: in the room, z up. */
export function surfaceOf(X_RH: Matrix4): Surface {
  const normal = new Vector3(0, 1, 0).transformDirection(X_RH);
  return { at: new Vector3().setFromMatrixPosition(X_RH), normal };
}

/** Whether something can stand there: on a floor or table, not on a wall or ceiling. */
export const isLevel = ({ normal }: Surface): boolean => normal.z > Math.cos(LEVEL);

/**
 * The room in which something stands at a place, upright, with its front to the user, at the
 * scale of before.
 */
export function standAt(thing: Standing, place: Vector3, head: Head, scale: number): Rig {
  const { centre, up, ahead, floor } = thing;
  const away = place.clone().sub(head.place).setZ(0);
  // one who looks straight down at it has it as they look
  if (away.length() < 0.05) away.copy(head.ahead);
  const quaternion = turnFrom(away.normalize(), ahead, up);
  const foot = centre.clone().addScaledVector(up, floor - centre.dot(up));
  const rig = { position: new Vector3(), quaternion, scale };
  const moved = place.clone().multiplyScalar(scale).applyQuaternion(quaternion);
  return { ...rig, position: foot.sub(moved) };
}

/** The place of the room on which something stands in it. */
export function footOf({ centre, up, floor }: Standing, rig: Rig): Vector3 {
  return toRoom(rig, centre.clone().addScaledVector(up, floor - centre.dot(up)));
}

/** Where a ring lies on a surface. */
export function ringAt({ at, normal }: Surface, radius: number): Matrix4 {
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
  const raised = at.clone().addScaledVector(normal, 0.004);
  return new Matrix4().compose(raised, turn, new Vector3(radius, radius, 1));
}
