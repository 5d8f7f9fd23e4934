// What a hand does with what it took: it holds a part, presses on it, or carries an object.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { HandleSpec } from "../../kernel/dragger.ts";
import { poseAt, quatOf, type Four, type Three } from "../../kernel/spatial.ts";
import type {
  ModelHost,
  DragHost,
  ChoiceHost,
  NoticeHost,
  PathHost,
  SceneHost,
  SimulationHost,
} from "../../store/hosts.ts";
import type { Grab } from "../../store/types.ts";
import { poseMatrix } from "../../view/spaces.ts";
import type { Viewer } from "../../view/viewer.ts";
import type { Aim } from "./aims.ts";
import { Hold, type HandTarget } from "./hold.ts";

type Host = ModelHost & DragHost & ChoiceHost & NoticeHost & PathHost & SceneHost & SimulationHost;

/** Until the hand lets go. X_WH is the hand, or its ray, in the world. */
export interface Job {
  /** What the hand holds is held by this, where the solver or the simulation holds it. */
  readonly grab: Grab | null;
  /** Number of the hand in a simulation; null outside one. */
  readonly number: number | null;
  move(X_WH: Matrix4): void;
  /** Farther away along the ray, or nearer: a share of its distance. */
  push(share: number): void;
  /** Lets go; `lost`: the hand is there no more, so what it held stays. */
  end(lost: boolean): void;
}

/** Arms with few joints cannot keep the rotation: the place counts more. */
const ROTATION_WEIGHT = 0.1;

export type How = "point" | "rotate" | "pose";

/** Takes what the hand is at; null where that cannot be taken. */
export function take(
  studio: Host,
  { flat, gizmo }: Pick<Viewer, "flat" | "gizmo">,
  aim: Aim,
  how: How,
  X_WH: Matrix4,
): Job | null {
  if (studio.refuseIfWatching()) return null;
  const { simulation } = studio;
  if (aim.kind === "phantom") return null;
  if (aim.kind === "handle") return takeHandle(studio, flat, aim, X_WH);
  if (aim.kind === "knob") return takeKnob(studio, gizmo, aim, X_WH);
  const isPush = simulation.isRunning && simulation.mode === "push" && how !== "pose";
  if (isPush) return press(studio, aim, X_WH);
  return aim.kind === "link"
    ? takeLink(studio, flat, aim, how, X_WH)
    : takeObject(studio, aim, X_WH);
}

function takeLink(
  studio: Host,
  flat: Vector3 | null,
  aim: Extract<Aim, { kind: "link" }>,
  how: How,
  X_WH: Matrix4,
): Job | null {
  const X_WL = poseMatrix(studio.poses, aim.link, new Matrix4());
  const point = aim.at.clone().applyMatrix4(X_WL.clone().invert());
  const quat = quatOf(poseAt(studio.poses, aim.link));
  studio.select({ kind: "link", index: aim.link, point: point.toArray() });
  const known = studio.simulation.hands.all.length;
  const grab = studio.grab(handle(aim, point.toArray(), how, quat));
  if (!grab.active) return null;
  const isSimulated = studio.simulation.hands.all.length > known;
  const hold = new Hold(X_WH, X_WL, point);
  return {
    grab,
    number: isSimulated ? (studio.simulation.hands.all.at(-1)?.number ?? null) : null,
    move: (hand) => {
      const target = inPlane(hold.target(hand), flat, aim.at, quat);
      const { position, quat: turn } = target;
      grab.move(how === "point" ? { position } : how === "rotate" ? { quat: turn } : target);
    },
    push: (share) => hold.push(share),
    end: (lost) => grab.release(lost ? "keep" : undefined),
  };
}

function handle(aim: Aim & { link: number }, point: Three, how: How, quat: Four): HandleSpec {
  const place = { site: aim.link, point, position: aim.at.toArray() };
  if (how === "point") return { ...place, kind: "point" };
  if (how === "rotate") return { site: aim.link, kind: "rotation", quat };
  return { ...place, kind: "pose", quat, rotationWeight: ROTATION_WEIGHT };
}

/** A flat mechanism stays in its plane, and turns about its normal alone. */
export function inPlane(
  target: HandTarget,
  normal: Vector3 | null,
  at: Vector3,
  start: Four,
): HandTarget {
  if (normal === null) return target;
  const place = new Vector3(...target.position);
  place.addScaledVector(normal, at.clone().sub(place).dot(normal));
  const from = new Quaternion(start[1], start[2], start[3], start[0]);
  const [w, x, y, z] = target.quat;
  const turn = new Quaternion(x, y, z, w).multiply(from.clone().invert());
  const about = new Vector3(turn.x, turn.y, turn.z).dot(normal);
  const twist = new Quaternion(about * normal.x, about * normal.y, about * normal.z, turn.w);
  // half a turn about an axis in the plane has no part about the normal
  if (twist.length() < 1e-9) return { position: place.toArray(), quat: start };
  const next = twist.normalize().multiply(from);
  return { position: place.toArray(), quat: [next.w, next.x, next.y, next.z] };
}

/** A point of a path, or its middle, which takes all of it along. */
function takeHandle(
  { paths }: Host,
  flat: Vector3 | null,
  aim: Extract<Aim, { kind: "handle" }>,
  X_WH: Matrix4,
): Job {
  const start = aim.at.clone();
  const hold = new Hold(X_WH, new Matrix4().setPosition(start), new Vector3());
  return {
    ...{ grab: null, number: null },
    move: (X) => {
      const { position } = inPlane(hold.target(X), flat, start, [1, 0, 0, 0]);
      aim.at.set(...position);
      paths.moveHandle(aim.id, position);
    },
    push: (share) => hold.push(share),
    end: () => undefined,
  };
}

/** An arrow or ring of the chosen part: it moves along or about one axis, whatever else the hand does. */
function takeKnob(
  { simulation: { hands } }: Host,
  gizmo: Viewer["gizmo"],
  { at, body }: Extract<Aim, { kind: "knob" }>,
  X_WH: Matrix4,
): Job | null {
  const known = hands.all.length;
  const knob = gizmo.takeBody(body, at);
  if (!knob) return null;
  const hold = new Hold(X_WH, new Matrix4().setPosition(at), new Vector3());
  return {
    grab: knob.grab,
    number: hands.all.length > known ? (hands.all.at(-1)?.number ?? null) : null,
    move: (X) => knob.move(new Vector3(...hold.target(X).position)),
    push: (share) => hold.push(share),
    end: () => knob.end(),
  };
}

/** What a hand can press on. */
type Surface = Extract<Aim, { kind: "link" | "object" }>;

/** The hand's tip presses on a surface of what is simulated: as deep as it goes in. */
function press(studio: Host, aim: Surface, X_WH: Matrix4): Job | null {
  const { model, scene, simulation, poses } = studio;
  if (model === null) return null;
  const name = aim.kind === "link" ? model.siteNames[aim.link] : scene.objects[aim.index]?.name;
  const pose = aim.kind === "link" ? poseAt(poses, aim.link) : name && scene.pose(name);
  if (!name || !pose || !aim.normal) return null;
  const X_WP = poseMatrix(pose, 0, new Matrix4());
  const point = aim.at.clone().applyMatrix4(X_WP.clone().invert());
  const hand = simulation.hands.push(name, point.toArray(), aim.at.toArray(), aim.normal.toArray());
  const hold = new Hold(X_WH, X_WP, point);
  return {
    grab: null,
    number: hand.number,
    move: (X) => simulation.hands.move(hand, hold.target(X).position),
    push: (share) => hold.push(share),
    end: () => simulation.hands.release(hand),
  };
}

/** An object of the scene: carried, or pulled by a spring where it is simulated. */
function takeObject(
  studio: Host,
  aim: Extract<Aim, { kind: "object" }>,
  X_WH: Matrix4,
): Job | null {
  const { scene, simulation } = studio;
  const object = scene.objects[aim.index];
  const pose = object && scene.pose(object.name);
  if (!object || object.fixed || !pose) return null;
  studio.select({ kind: "object", index: aim.index });
  const X_WO = poseMatrix(pose, 0, new Matrix4());
  const isPulled = simulation.isRunning && simulation.state.objects.includes(object.name);
  if (simulation.isRunning && !isPulled) return null;
  const point = isPulled ? aim.at.clone().applyMatrix4(X_WO.clone().invert()) : new Vector3();
  const hold = new Hold(X_WH, X_WO, point);
  if (isPulled) {
    const spec: HandleSpec = { site: 0, kind: "point", point: point.toArray() };
    const grab = simulation.hands.pull(object.name, { ...spec, position: aim.at.toArray() });
    return {
      ...{ grab, number: simulation.hands.all.at(-1)?.number ?? null },
      move: (X) => grab.move({ position: hold.target(X).position }),
      push: (share) => hold.push(share),
      end: () => grab.release(),
    };
  }
  return {
    ...{ grab: null, number: null },
    move: (X) => {
      const { position, quat } = hold.target(X);
      scene.move(object.name, [...quat, ...position]);
    },
    push: (share) => hold.push(share),
    end: () =>
      void scene.place(object.name).catch((error: Error) => studio.notice("error", error.message)),
  };
}
