// Where the user of a window stands in the world: before what the view turns around, as it looks.
import { Matrix4, Vector3 } from "three";
import type { Gesture, Presence } from "../../store/people.ts";
import type { PersonHand } from "../../wire/messages.ts";
import { poseOf } from "./pose.ts";

/** Height of the eyes [m]. */
const EYES = 1.64;
/** Share of the way from what the view turns around to its eye, and how far to the left [m]. */
const NEAR = 0.5;
const ASIDE = 0.3;
/** Where the right hand shows a gesture, from the eyes: ahead, to the right, up [m]. */
const HANDS = {
  stop: [0.42, 0.2, -0.12],
  point: [0.48, 0.16, -0.34],
  grasp: [0.38, 0.16, -0.44],
} as const;

/** What a view looks from. */
export interface Look {
  target: Vector3;
  eye: Vector3;
  /** Of the picture. */
  upright: Vector3;
  up: Vector3;
  /** Height of the floor along `up` [m]. */
  floor: number;
}

export function standingOf({ target, eye, upright, up, floor }: Look, gesture: Gesture): Presence {
  const back = eye.clone().sub(target).projectOnPlane(up);
  const away = back.length();
  // who looks straight down stands at the lower edge of the picture
  if (away < 1e-6) back.copy(upright).negate().projectOnPlane(up);
  const ahead = back.normalize().negate();
  const right = ahead.clone().cross(up);
  const head = target
    .clone()
    .addScaledVector(ahead, -NEAR * away)
    .addScaledVector(right, -ASIDE);
  head.addScaledVector(up, floor + EYES - head.dot(up));
  const hands: PersonHand[] = [];
  if (gesture !== "none") {
    const [x, y, z] = HANDS[gesture];
    const at = head.clone().addScaledVector(ahead, x).addScaledVector(right, y).addScaledVector(up, z); // prettier-ignore
    // -z along the fingers, y out of the back of the hand
    const isFlat = gesture === "stop";
    const fingers = isFlat ? up : ahead;
    const out = isFlat ? ahead.clone().negate() : up;
    const X_WH = turned(out, fingers.clone().negate()).setPosition(at);
    hands.push({ side: "right", shape: "hand", pose: poseOf(X_WH), gesture, holds: "" });
  }
  const X_WP = turned(up, ahead.clone().negate()).setPosition(head);
  return { head: poseOf(X_WP), hands, scale: 1, headset: false, present: true };
}

/** A rotation by its y and z axes. */
function turned(y: Vector3, z: Vector3): Matrix4 {
  return new Matrix4().makeBasis(y.clone().cross(z), y, z);
}
