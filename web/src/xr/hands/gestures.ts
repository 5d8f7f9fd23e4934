// Gestures of bare hands: a flat hand held up stops, a straight forefinger points, a fist grasps. Pure.
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
/** It is bent below this share. */
const BENT = 0.85;
/** How far the palm may turn aside, and the hand down: cosines. */
const FACING = 0.6;
const UPRIGHT = 0.6;
/** It is meant when it lasts [s]. */
const LASTS = 0.35;

const at = (joints: Float32Array, i: number): Vector3 => new Vector3().fromArray(joints, 4 * i);

/** How far apart the ends of a finger are, as a share of its length. */
function straightness(joints: Float32Array, [first, last]: readonly [number, number]): number {
  let length = 0;
  for (let i = first; i < last; i += 1) length += at(joints, i).distanceTo(at(joints, i + 1));
  return at(joints, first).distanceTo(at(joints, last)) / Math.max(1e-9, length);
}

/** What a hand that holds nothing shows. */
export function gestureOf(
  joints: Float32Array,
  side: XRHandedness,
  eyes: Vector3,
): "none" | "point" | "stop" | "grasp" {
  if (isStopHand(joints, side, eyes)) return "stop";
  const [forefinger, ...others] = FINGERS.map((finger) => straightness(joints, finger));
  if (others.some((share) => share > BENT)) return "none";
  if (forefinger >= STRAIGHT) return "point";
  return forefinger > BENT ? "none" : "grasp";
}

/** Whether a hand is flat, upright, and its palm turned away from the eyes: all in the room. */
export function isStopHand(joints: Float32Array, side: XRHandedness, eyes: Vector3): boolean {
  if (FINGERS.some((finger) => straightness(joints, finger) < STRAIGHT)) return false;
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

/** How long the agents of a world have to answer a stop gesture: time of the world, and real time [s]. */
const PATIENCE = 1.2;
const MOST_PATIENCE = 1.5;
/** Motion is measured over these times; what is slower is at rest [rad/s or m/s of the world]. */
const WINDOW = 0.2;
const REAL_WINDOW = 0.4;
const REST = 0.02;

/** Says once when the gesture has lasted. */
export class StopGesture {
  private held = 0;

  /** Whether the hand is still up. */
  get isHeld(): boolean {
    return this.held >= LASTS;
  }

  update(isShown: boolean, seconds: number): boolean {
    const before = this.held;
    this.held = isShown ? this.held + seconds : 0;
    return before < LASTS && this.held >= LASTS;
  }
}

/**
 * A stop gesture in a world whose agents detect it: they may end the motion themselves. Motion that
 * they have not ended after a moment, or when the hand is lowered, is to be stopped.
 */
export class Patience {
  private shown = 0;
  private time: number | null = null;
  private since = 0;
  private before: { places: readonly number[]; time: number; now: number } | null = null;
  private isMoving = true;

  /**
   * Whether to stop everything now.
   * @param places All that can move: joints and objects.
   * @param time Of the world [s].
   * @param now Real time [s].
   */
  update(isShown: boolean, places: readonly number[], time: number, now: number): boolean {
    if (!isShown) {
      const isIgnored = this.time !== null && this.isMoving;
      this.reset();
      return isIgnored;
    }
    if (this.time === null) this.since = now;
    this.shown += Math.max(0, time - (this.time ?? time));
    this.time = time;
    this.before ??= { places, time, now };
    const passed = Math.abs(time - this.before.time);
    // a world that stands still may continue at any moment: nothing has changed
    if (passed >= WINDOW || (passed > 0 && now - this.before.now >= REAL_WINDOW)) {
      const { places: old } = this.before;
      this.isMoving = old.some((x, i) => Math.abs(places[i] - x) > REST * passed);
      this.before = { places, time, now };
    }
    return (this.shown >= PATIENCE || now - this.since >= MOST_PATIENCE) && this.isMoving;
  }

  reset(): void {
    [this.shown, this.time, this.before, this.isMoving] = [0, null, null, true];
  }
}
