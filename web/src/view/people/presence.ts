// Where the user of a page without a headset is: the camera is the head, the pointer a hand.
import { type Camera, Matrix4, Vector3 } from "three";
import type { DragHost, ModelHost, PeopleHost, SimulationHost } from "../../store/hosts.ts";
import type { Grab } from "../../store/types.ts";
import type { Presence } from "../../store/people.ts";
import type { PersonHand } from "../../wire/messages.ts";
import type { ViewContext } from "../part.ts";
import type { Hit } from "../pointing/rays.ts";
import { poseMatrix } from "../spaces.ts";
import { poseOf } from "./pose.ts";
import { standingOf } from "./standing.ts";

/** A person is so far from what they look at, in metres of their own: it gives their size. */
const AWAY = 2;

/** How others see the user of this window. */
export function presenceOf(
  context: ViewContext<ModelHost & DragHost & SimulationHost & PeopleHost, "root" | "camera">,
  camera: Camera,
  over: Hit | null,
): Presence {
  const { root, studio } = context;
  camera.updateMatrixWorld();
  const X_WC = root.matrixWorld.clone().invert().multiply(camera.matrixWorld);
  const { people, simulation } = studio;
  if (people.stands) {
    const eye = new Vector3().setFromMatrixPosition(X_WC);
    const upright = new Vector3(0, 1, 0).transformDirection(X_WC);
    const target = new Vector3(...context.camera.eye.target);
    const { up } = context.camera;
    return standingOf({ target, eye, upright, up, floor: simulation.ground }, people.gesture);
  }
  const hand = pointed(context, studio.grabs[0], over);
  const hands: PersonHand[] = [];
  if (hand) {
    const X_WH = X_WC.clone().setPosition(hand.at);
    const { gesture, holds } = hand;
    hands.push({ side: "right", shape: "pointer", pose: poseOf(X_WH), gesture, holds });
  }
  const scale = Math.min(1e6, Math.max(1e-6, context.camera.eye.distance / AWAY));
  return {
    head: poseOf(X_WC),
    hands,
    scale: Number(scale.toPrecision(4)),
    headset: false,
    present: false,
  };
}

/** What the pointer holds or is at; null: nothing. */
function pointed(
  { studio }: ViewContext<ModelHost>,
  grab: Grab | undefined,
  over: Hit | null,
): { at: Vector3; gesture: "grasp" | "point"; holds: string } | null {
  const sites = studio.poses.length / 7;
  if (grab && grab.spec.site < sites) {
    const X_WS = poseMatrix(studio.poses, grab.spec.site, new Matrix4());
    const at = new Vector3(...(grab.spec.point ?? [0, 0, 0])).applyMatrix4(X_WS);
    const holds = studio.model?.data.links[grab.spec.site] ?? "";
    return { at, gesture: "grasp", holds };
  }
  return over && { at: new Vector3(...over.at), gesture: "point", holds: "" };
}
