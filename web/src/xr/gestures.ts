// Gestures of bare hands: a flat hand held up against something stops it. Pure.
import { Vector3 } from "three";

/** Indices among the 25 joints of a hand: first and last of each finger, from thumb to little. */
const FINGERS = [
  [5, 9],
  [10, 14],
  [15, 19],
  [20, 24],
] as const;
const WRIST = 0;
const [FIRST_KNUCKLE, LAST_KNUCKLE] = [6, 21];
const MIDDLE_TIP = 14;
/** A finger is straight when its ends are this far apart, as a share of its length. */
const STRAIGHT = 0.95;
/** How far the palm may turn aside, and the hand down: cosines. */
const FACING = 0.6;
const UPRIGHT = 0.6;
/** It is meant when it lasts [s]. */
const LASTS = 0.35;

const at = (joints: Float32Array, i: number): Vector3 => new Vector3().fromArray(joints, 4 * i);

/** Whether a hand is flat, upright, and its palm turned away from the eyes: all in the room. */
export function isStopHand(joints: Float32Array, side: XRHandedness, eyes: Vector3): boolean {
  for (const [first, last] of FINGERS) {
    let length = 0;
    for (let i = first; i < last; i += 1) length += at(joints, i).distanceTo(at(joints, i + 1));
    if (at(joints, first).distanceTo(at(joints, last)) < STRAIGHT * length) return false;
  }
  const wrist = at(joints, WRIST);
  const up = at(joints, MIDDLE_TIP).sub(wrist).normalize();
  if (up.z < UPRIGHT) return false;
  const palm = at(joints, FIRST_KNUCKLE)
    .sub(wrist)
    .cross(at(joints, LAST_KNUCKLE).sub(wrist))
    .multiplyScalar(side === "left" ? -1 : 1)
    .normalize();
  return palm.dot(wrist.sub(eyes).normalize()) > FACING;
}

/** Says once when the gesture has lasted. */
export class StopGesture {
  private held = 0;

  update(isShown: boolean, seconds: number): boolean {
    const before = this.held;
    this.held = isShown ? this.held + seconds : 0;
    return before < LASTS && this.held >= LASTS;
  }
}
