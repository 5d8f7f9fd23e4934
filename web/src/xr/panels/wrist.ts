// When the menu at a wrist is shown, and where: when its back is turned to the eyes, as to read a
// watch. Pure maths.
import { Matrix4, Vector3 } from "three";
import type { Hand } from "../hands/inputs.ts";
import { palmOf } from "../session/presence.ts";
import type { Head } from "../space/rig.ts";

/** The wrist of a hand, in the room. */
export interface Wrist {
  place: Vector3;
  /** Unit vectors: out of the back of the hand, and from the elbow to the fist. */
  back: Vector3;
  along: Vector3;
}

/** A fist around a controller is so far from the wrist [m]. */
const FIST = 0.07;
/** How far the back of the hand may be turned away from the eyes: cosines; the second one counts
 * while the menu is shown, so that it does not flicker. */
const FACING = [0.8, 0.65] as const;
/** How far the forearm lies across the view at least: shares of its length. Hands that reach for
 * something point ahead, and a hand that stops everything points up. */
const ACROSS = [0.6, 0.45] as const;
/** The eyes are nearer than this [m]. */
const NEAR = 0.7;
/** The menu is so far above the wrist, and so far out of its back [m]. */
const ABOVE = 0.07;
const OUT = 0.05;

const Z = new Vector3(0, 0, 1);

/** Where a hand's wrist is: by the joints of a bare hand, else by the grip; null: not known. */
export function wristOf({ joints, grip, side, kind }: Hand): Wrist | null {
  if (side === "none" || kind === "pointer") return null;
  const [x, y, z] = [new Vector3(), new Vector3(), new Vector3()];
  if (joints) {
    palmOf(joints, side).extractBasis(x, y, z);
    return { place: new Vector3().fromArray(joints), back: y, along: z.negate() };
  }
  if (!grip) return null;
  // its x axis leaves the back of a right hand and the palm of a left one; y leads to the elbow
  grip.extractBasis(x, y, z);
  const place = new Vector3().setFromMatrixPosition(grip).addScaledVector(y, FIST);
  return { place, back: side === "left" ? x.negate() : x, along: y.negate() };
}

/** Whether a wrist is turned to the eyes as to read a watch. */
export function isRead(
  { place, back, along }: Wrist,
  side: XRHandedness,
  head: Head,
  wasRead: boolean,
): boolean {
  const k = wasRead ? 1 : 0;
  const toEyes = head.place.clone().sub(place);
  const isNear = toEyes.length() < NEAR;
  const right = head.ahead.clone().cross(Z);
  const across = along.dot(right) * (side === "left" ? 1 : -1);
  return isNear && across > ACROSS[k] && back.dot(toEyes.normalize()) > FACING[k];
}

/** The menu of a wrist: beside it, turned to the eyes, upright. */
export function menuAt({ place, back }: Wrist, eyes: Vector3): Matrix4 {
  const at = place.clone().addScaledVector(back, OUT);
  at.z += ABOVE;
  return new Matrix4().lookAt(eyes, at, Z).setPosition(at);
}
