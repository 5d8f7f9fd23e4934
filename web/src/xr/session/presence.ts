// Where a person in a headset is, as others see them: head and hands in the world.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { ModelHost, SceneHost } from "../../store/hosts.ts";
import type { Presence } from "../../store/people.ts";
import { poseOf } from "../../view/people/pose.ts";
import type { PersonHand } from "../../wire/messages.ts";
import { gestureOf } from "../hands/gestures.ts";
import type { Actor } from "../hands/hands.ts";
import type { Hand } from "../hands/inputs.ts";

type Host = ModelHost & SceneHost;

/** Joints of a bare hand: the wrist, and the knuckles of forefinger, middle and little finger. */
const [WRIST, FOREFINGER, MIDDLE, LITTLE] = [0, 6, 11, 21];

/** X_WR: the room in the world, with its scale; X_RH: the head in the room. */
export function presenceOf(
  studio: Host,
  actors: readonly Actor[],
  X_WR: Matrix4,
  X_RH: Matrix4,
  scale: number,
): Presence {
  const eyes = new Vector3().setFromMatrixPosition(X_RH);
  const hands = new Map<"left" | "right", PersonHand>();
  for (const actor of actors) {
    const { hand } = actor;
    const X_RP = placeOf(hand);
    if (!X_RP || hand.side === "none") continue;
    // the hand behind a pinch that eyes lead is seen already
    if (hand.kind === "pointer" && hands.has(hand.side)) continue;
    hands.set(hand.side, {
      side: hand.side,
      shape: hand.kind === "tracked" ? "hand" : "controller",
      pose: poseOf(X_WR.clone().multiply(X_RP)),
      gesture: gestureFor(actor, eyes),
      holds: heldBy(studio, actor),
    });
  }
  const head = poseOf(X_WR.clone().multiply(X_RH));
  const size = Number(scale.toPrecision(7));
  return { head, hands: [...hands.values()], scale: size, headset: true, present: true };
}

function gestureFor({ hand, doing, aim }: Actor, eyes: Vector3): PersonHand["gesture"] {
  if (doing?.kind === "part" || hand.isSelecting || hand.isSqueezing) return "grasp";
  if (hand.joints) return gestureOf(hand.joints, hand.side, eyes);
  if (hand.commands.stop) return "stop";
  return aim ? "point" : "none";
}

function heldBy({ model, scene }: Host, { doing, aim }: Actor): string {
  if (doing?.kind !== "part") return "";
  if (aim?.kind === "link") return model?.data.links[aim.link] ?? "";
  return (aim?.kind === "object" && scene.objects[aim.index]?.name) || "";
}

/** In the room: -z along the fingers or the ray, y out of the back of the hand; null: not known. */
function placeOf(hand: Hand): Matrix4 | null {
  if (hand.joints) return palmOf(hand.joints, hand.side);
  const own = hand.grip ?? hand.ray;
  if (!own) return null;
  const turn = new Quaternion().setFromRotationMatrix(hand.ray ?? own);
  const at = new Vector3().setFromMatrixPosition(own);
  return new Matrix4().compose(at, turn, new Vector3(1, 1, 1));
}

/** The middle of the palm of a bare hand. */
export function palmOf(joints: Float32Array, side: XRHandedness): Matrix4 {
  const at = (i: number): Vector3 => new Vector3().fromArray(joints, 4 * i);
  const wrist = at(WRIST);
  const back = at(MIDDLE).sub(wrist).negate().normalize();
  const across = at(LITTLE).sub(at(FOREFINGER));
  // across points to the right for a right hand that lies on its palm, to the left for a left one
  if (side === "left") across.negate();
  const up = back.clone().cross(across).normalize();
  const right = up.clone().cross(back);
  const middle = wrist.lerp(at(MIDDLE), 0.6);
  return new Matrix4().makeBasis(right, up, back).setPosition(middle);
}
