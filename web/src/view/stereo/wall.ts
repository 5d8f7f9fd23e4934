// Walls of screens: where corners and eyes of a room are in the world, and what each eye sees
// through a screen. Pure maths; places of room and world are z up, views are three.js's.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { ScreenData, WallData, WallState } from "../../wire/messages.ts";
import { toThree } from "../spaces.ts";
import { offAxis, type Screen, type View } from "./off-axis.ts";

export type Pose = WallData["at"];
type Place = readonly [number, number, number];

/** A room in the world, and the head of the viewer in the room. */
export interface Standing {
  /** X_WR. */
  at: Pose;
  /** Metres of the world per metre of the room. */
  scale: number;
  /** X_RH. */
  head: Pose;
}

/** How room and head stand: as the session says, else as the file does. */
export function standing(wall: WallData, state: WallState | null): Standing {
  const isMoved = state?.at != null;
  return {
    at: isMoved ? state.at! : wall.at,
    scale: isMoved ? state.scale : wall.scale,
    head: state?.head ?? [1, 0, 0, 0, ...wall.eye],
  };
}

function turned(place: Vector3, pose: Pose): Vector3 {
  const [w, x, y, z] = pose;
  return place.applyQuaternion(new Quaternion(x, y, z, w));
}

/** A place of the room, in the world. */
export function inWorld({ at, scale }: Standing, place: Place): Vector3 {
  const [, , , , x, y, z] = at;
  return turned(new Vector3(...place).multiplyScalar(scale), at).add(new Vector3(x, y, z));
}

/** An eye in the room: beside the middle of the head by a share of the eye distance, -½ … ½. */
export function eyeIn({ head }: Standing, eyeDistance: number, share: number): Place {
  const [, , , , x, y, z] = head;
  return turned(new Vector3(share * eyeDistance, 0, 0), head)
    .add(new Vector3(x, y, z))
    .toArray();
}

/** A screen with its corners in the world, as three.js has it. */
export function screenIn(room: Standing, screen: ScreenData): Screen {
  const three = (place: Place): Vector3 => toThree(inWorld(room, place).toArray());
  return {
    lowerLeft: three(screen.lower_left),
    lowerRight: three(screen.lower_right),
    upperLeft: three(screen.upper_left),
  };
}

/** Which eyes a screen shows: their shares of the eye distance, left first. */
export function sharesOf(shows: ScreenData["shows"]): readonly number[] {
  if (shows === "centre") return [0];
  if (shows === "left") return [-0.5];
  if (shows === "right") return [0.5];
  return [-0.5, 0.5];
}

/** Nearest and farthest places that are drawn [m of the world]. */
export interface Depths {
  near: number;
  far: number;
}

/** What the eyes see that a screen shows; null where one of them is not in front of it. */
export function viewsOf(
  wall: WallData,
  room: Standing,
  screen: ScreenData,
  { near, far }: Depths,
): View[] | null {
  const placed = screenIn(room, screen);
  const views = sharesOf(screen.shows).map((share) => {
    const eye = toThree(inWorld(room, eyeIn(room, wall.eye_distance, share)).toArray());
    return offAxis(eye, placed, near, far);
  });
  return views.every((view) => view !== null) ? views : null;
}

const middleOf = ({ lower_right: a, upper_left: b }: ScreenData): Vector3 =>
  new Vector3(...a).add(new Vector3(...b)).multiplyScalar(0.5);

/** Width and height of a screen [m]. */
export function sizeOf({ lower_left, lower_right, upper_left }: ScreenData): [number, number] {
  const origin = new Vector3(...lower_left);
  return [lower_right, upper_left].map((corner) => origin.distanceTo(new Vector3(...corner))) as [
    number,
    number,
  ];
}

/** What a camera looks at, and how much of it it shows: directions of the world, z up. */
export interface Look {
  target: Place;
  right: Vector3;
  up: Vector3;
  back: Vector3;
  /** Of what is seen at the target [m]. */
  height: number;
}

/**
 * The room for which a wall shows what a camera looks at: its target is in the middle of all
 * screens, and as much is seen from the bottom of a screen to its top.
 */
export function roomFor(wall: WallData, look: Look): Pick<Standing, "at" | "scale"> {
  const { screens } = wall;
  const middle = new Vector3();
  for (const screen of screens) middle.addScaledVector(middleOf(screen), 1 / screens.length);
  const ahead = middle
    .clone()
    .sub(new Vector3(...wall.eye))
    .setZ(0);
  if (ahead.length() < 1e-6) ahead.set(0, 1, 0);
  ahead.normalize();
  const up = new Vector3(0, 0, 1);
  const R = new Matrix4().makeBasis(ahead.clone().cross(up), ahead, up);
  const C = new Matrix4().makeBasis(look.right, look.back.clone().negate(), look.up);
  const turn = new Quaternion().setFromRotationMatrix(C.multiply(R.transpose()));
  const heights = screens.map((screen) => sizeOf(screen)[1]);
  const scale = look.height / (heights.reduce((sum, one) => sum + one, 0) / heights.length);
  const p = new Vector3(...look.target).sub(middle.multiplyScalar(scale).applyQuaternion(turn));
  return { at: [turn.w, turn.x, turn.y, turn.z, p.x, p.y, p.z], scale };
}
