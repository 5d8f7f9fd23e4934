// Where the user's room stands in the world: pure maths. The room R has z up and metres of its own;
// one of them is `scale` metres of the world, so that a large scale makes the mechanism small.
import { Matrix4, Quaternion, Vector3 } from "three";

/** X_WR with a scale. */
export interface Rig {
  position: Vector3;
  quaternion: Quaternion;
  /** Metres of the world per metre of the room. */
  scale: number;
}

/** What stands in the world. */
export interface Standing {
  centre: Vector3;
  /** Of the ball around it [m]. */
  radius: number;
  /** Height of what it stands on, along `up` [m]. */
  floor: number;
  up: Vector3;
  /** The horizontal way from the user to it, in the world. */
  ahead: Vector3;
}

/** The user's head in the room. */
export interface Head {
  place: Vector3;
  /** Unit length, horizontal. */
  ahead: Vector3;
}

/** Smallest and largest scale that two hands reach. */
const SCALES = [1e-3, 1e3] as const;
/** A scale this near 1 becomes 1: true size [share]. */
const SNAP = 0.06;
/** What is to be seen begins so far in front of the eyes [m]. */
const CLEARANCE = 0.4;
/** The middle of what is small stands so far below the eyes [m]. */
const BELOW = 0.35;
/** What is higher stands on the floor [m]; all else is lifted, but not above a table for standing. */
const TALL = 1.2;
const TABLE = 1.05;
/** Radii that are comfortable at true size, and those that others are shown with [m]. */
const COMFORTABLE = [0.06, 4] as const;
const SHOWN = [0.25, 0.55] as const;

const Z = new Vector3(0, 0, 1);

export function matrixOf({ position, quaternion, scale }: Rig, out = new Matrix4()): Matrix4 {
  return out.compose(position, quaternion, new Vector3(scale, scale, scale));
}

/** A place of the room, in the world. */
export function toWorld(rig: Rig, place: Vector3): Vector3 {
  return place.clone().multiplyScalar(rig.scale).applyQuaternion(rig.quaternion).add(rig.position);
}

/** A place of the world, in the room. */
export function toRoom(rig: Rig, place: Vector3): Vector3 {
  return place
    .clone()
    .sub(rig.position)
    .applyQuaternion(rig.quaternion.clone().invert())
    .divideScalar(rig.scale);
}

/** The scale that something is first shown with: true size, unless that is too small or too large. */
export function firstScale(radius: number): number {
  if (radius < COMFORTABLE[0]) return radius / SHOWN[0];
  return radius > COMFORTABLE[1] ? radius / SHOWN[1] : 1;
}

/** Stands the user before something, at a scale. */
export function standBefore(thing: Standing, head: Head, scale: number): Rig {
  const { centre, up } = thing;
  const quaternion = turnFrom(head.ahead, thing.ahead, up);
  const radius = thing.radius / scale;
  const middle = (centre.dot(up) - thing.floor) / scale;
  const height = lift(middle, head.place.z);
  const away = CLEARANCE + radius;
  // the place of the room where the mechanism's foot shall be
  const foot = head.place.clone().addScaledVector(head.ahead, away).setZ(height);
  const base = centre.clone().addScaledVector(up, thing.floor - centre.dot(up));
  const rig = { position: new Vector3(), quaternion, scale };
  return { ...rig, position: base.sub(toWorld(rig, foot)) };
}

/** How high above the floor something stands whose middle is so high above its foot [m]. */
export function lift(middle: number, eyes: number): number {
  if (2 * middle > TALL) return 0;
  return Math.min(TABLE, Math.max(0, eyes - BELOW - middle));
}

/** The turn of the room that brings one horizontal direction of it onto one of the world. */
export function turnFrom(from: Vector3, to: Vector3, up: Vector3): Quaternion {
  const upright = new Quaternion().setFromUnitVectors(Z, up);
  const level = to.clone().applyQuaternion(upright.clone().invert());
  const angle = Math.atan2(level.y, level.x) - Math.atan2(from.y, from.x);
  return upright.multiply(new Quaternion().setFromAxisAngle(Z, angle));
}

/** One hand pulls the world along: the place that was under it stays under it. */
export function moveWithHand(start: Rig, from: Vector3, to: Vector3): Rig {
  const position = toWorld(start, from).sub(toWorld({ ...start, position: new Vector3() }, to));
  return { ...start, position };
}

/** Two hands move, turn and scale the world, which stays upright: pairs of places in the room. */
export function moveWithHands(
  start: Rig,
  from: readonly [Vector3, Vector3],
  to: readonly [Vector3, Vector3],
): Rig {
  const before = from[1].clone().sub(from[0]);
  const after = to[1].clone().sub(to[0]);
  const wide = Math.max(1e-3, after.length());
  const scale = snapped((start.scale * before.length()) / wide);
  // hands one above the other say nothing about the turn
  const isLevel = Math.min(Math.hypot(before.x, before.y), Math.hypot(after.x, after.y)) > 0.02;
  const angle = isLevel ? Math.atan2(before.y, before.x) - Math.atan2(after.y, after.x) : 0;
  const quaternion = start.quaternion.clone().multiply(aboutUp(angle));
  const rig = { position: new Vector3(), quaternion, scale };
  const middle = from[0].clone().addScaledVector(before, 0.5);
  const there = to[0].clone().addScaledVector(after, 0.5);
  return { ...rig, position: toWorld(start, middle).sub(toWorld(rig, there)) };
}

/** Turns the user on the spot [rad, to the left]. */
export function turned(rig: Rig, head: Vector3, angle: number): Rig {
  const spot = toWorld(rig, head);
  const next = { ...rig, quaternion: rig.quaternion.clone().multiply(aboutUp(angle)) };
  next.position = spot.sub(toWorld({ ...next, position: new Vector3() }, head));
  return next;
}

/** Takes the user to a place on the floor of the room. */
export function stepTo(rig: Rig, head: Vector3, place: Vector3): Rig {
  const way = place.clone().sub(head).setZ(0);
  const position = toWorld(rig, way);
  return { ...rig, position };
}

/** Another scale about a place of the room, which stays where it is. */
export function scaledAbout(rig: Rig, place: Vector3, scale: number): Rig {
  const fixed = toWorld(rig, place);
  const next = { ...rig, scale, position: new Vector3() };
  next.position = fixed.sub(toWorld(next, place));
  return next;
}

/** A scale as people write it: 1:20 is twenty times smaller, 5:1 five times larger. */
export function scaleText(scale: number): string {
  const round = (x: number): string => (x >= 10 ? x.toFixed(0) : Number(x.toFixed(1)).toString());
  if (Math.abs(scale - 1) < 1e-9) return "true size";
  return scale > 1 ? `1:${round(scale)}` : `${round(1 / scale)}:1`;
}

function snapped(scale: number): number {
  if (Math.abs(scale - 1) < SNAP) return 1;
  return Math.min(SCALES[1], Math.max(SCALES[0], scale));
}

/** What becomes of a rig when the room's origin moves; X_ON: the new room in the old one, upright. */
export function recentred(rig: Rig, X_ON: Matrix4): Rig {
  const turn = new Quaternion().setFromRotationMatrix(X_ON);
  const position = toWorld(rig, new Vector3().setFromMatrixPosition(X_ON));
  return { ...rig, position, quaternion: rig.quaternion.clone().multiply(turn) };
}

/** The new room in the old one, where a head is said to be in both; rooms stay upright. */
export function moveBetween(old: Head, now: Head): Matrix4 {
  const angle = Math.atan2(old.ahead.y, old.ahead.x) - Math.atan2(now.ahead.y, now.ahead.x);
  const turn = new Matrix4().makeRotationZ(angle);
  return turn.setPosition(old.place.clone().sub(now.place.clone().applyMatrix4(turn)));
}

/** What of a move keeps a room upright. */
export function upright(X_ON: Matrix4): Matrix4 {
  const ahead = new Vector3(0, 1, 0).transformDirection(X_ON);
  const turn = new Matrix4().makeRotationZ(Math.atan2(-ahead.x, ahead.y));
  return turn.setPosition(new Vector3().setFromMatrixPosition(X_ON));
}

/** A head after the room's origin has moved. */
export function headIn(head: Head, X_ON: Matrix4): Head {
  const X_NO = X_ON.clone().invert();
  const ahead = head.ahead.clone().transformDirection(X_NO);
  return { place: head.place.clone().applyMatrix4(X_NO), ahead };
}

const aboutUp = (angle: number): Quaternion => new Quaternion().setFromAxisAngle(Z, angle);

/** The way of a throw until it meets the floor (z = 0) [m/s, m]. */
export function throwTo(from: Vector3, along: Vector3, speed = 5.5): Vector3[] {
  const FALL = 9.81;
  const up = along.z * speed;
  const time = (up + Math.sqrt(up * up + 2 * FALL * Math.max(0, from.z))) / FALL;
  return Array.from({ length: 17 }, (_, i) => {
    const t = (time * i) / 16;
    const point = from.clone().addScaledVector(along, speed * t);
    return point.setZ(Math.max(0, from.z + up * t - 0.5 * FALL * t * t));
  });
}
