// Arrows and rings on the chosen link or frame, for turning it and moving it along axes.
import {
  type Camera,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  Quaternion,
  TorusGeometry,
  Vector3,
} from "three";
import { ConeGeometry, CylinderGeometry, type BufferGeometry } from "three";
import type { HandleSpec } from "../../kernel/dragger.ts";
import { applyPose, poseAt, quatOf } from "../../kernel/spatial.ts";
import type { ChoiceHost, DragHost, ModelHost, NoticeHost, SceneHost } from "../../store/hosts.ts";
import type { Grab } from "../../store/types.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { alongLine, aroundAxis, castRay, worldRay } from "./rays.ts";

/** Size of the gizmo in the picture, as a part of its height. */
const SIZE = 0.13;
/** In a headset, as a part of its distance: large enough for a hand. */
const IN_SPACE = 0.2;

interface Knob {
  kind: "move" | "turn";
  axis: number;
  seen: Mesh;
  /** Thicker than what is seen, so that a finger finds it. */
  felt: Mesh;
  paint: MeshBasicMaterial;
}

/** What is held by the gizmo, and where it is. */
interface Place {
  site: number;
  /** Name of the object that stands there, null for a link or frame. */
  object: string | null;
  point: [number, number, number];
  at: Vector3;
  rotation: Quaternion;
}

type Held = Pick<Grab, "active" | "move" | "release">;

/** A knob in a hand. */
export interface HeldKnob {
  /** What holds the part; null for an object of the scene. */
  readonly grab: Grab | null;
  /** Where the hand would bring the place that it took: of that, what the knob's axis allows. */
  move(place: Vector3): void;
  end(): void;
}

/** An object in the hand of the gizmo: its place goes into the text when it is let go. */
function heldObject(studio: DragHost & ChoiceHost & NoticeHost & SceneHost, name: string): Held {
  const pose = Array.from(studio.scene.pose(name) ?? []);
  return {
    active: true,
    move: ({ position, quat }) => {
      if (quat) pose.splice(0, 4, ...Array.from(quat));
      if (position) pose.splice(4, 3, ...Array.from(position));
      studio.scene.move(name, pose);
    },
    release: () => {
      studio.scene.place(name).catch((error: Error) => studio.notice("error", error.message));
    },
  };
}

export class Gizmo implements Part {
  private readonly group = new Group();
  private readonly knobs: Knob[] = [];
  private active: Knob | null = null;
  /** A headset's eyes, while one is worn. */
  eyes: Camera | null = null;

  constructor(
    private readonly context: ViewContext<
      ModelHost & DragHost & ChoiceHost & NoticeHost & SceneHost,
      "root" | "camera" | "aim" | "invalidate"
    >,
  ) {
    const arrow = new CylinderGeometry(0.018, 0.018, 0.9, 8).translate(0, 0.45, 0);
    const head = new ConeGeometry(0.06, 0.2, 14).translate(0, 0.98, 0);
    const ring = new TorusGeometry(0.72, 0.016, 8, 64);
    const wideArrow = new CylinderGeometry(0.09, 0.09, 1, 8).translate(0, 0.6, 0);
    const wideRing = new TorusGeometry(0.72, 0.07, 6, 48);
    for (const axis of [0, 1, 2]) {
      this.knob("move", axis, [arrow, head], wideArrow);
      this.knob("turn", axis, [ring], wideRing);
    }
    this.group.matrixAutoUpdate = false;
    this.group.visible = false;
    context.root.add(this.group);
  }

  paint(palette: Palette): void {
    for (const { paint, axis } of this.knobs) paint.color.set(palette.axes[axis]);
  }

  frame(): void {
    const place = this.place();
    this.group.visible = place !== null;
    if (!place) return;
    const { dragMode } = this.context.studio.settings;
    for (const knob of this.knobs) {
      const other = dragMode === "rotate" ? "turn" : place.object === null ? "turn" : "move";
      const wanted = dragMode === "pose" || knob.kind === other;
      knob.seen.visible = knob.felt.visible = wanted;
      knob.paint.opacity = this.active && this.active !== knob ? 0.25 : 0.95;
    }
    const { camera } = this.context.camera;
    const from = this.eyes
      ? new Vector3().setFromMatrixPosition(this.eyes.matrixWorld)
      : camera.position.clone();
    const depth = this.context.root.worldToLocal(from).distanceTo(place.at);
    const share = this.eyes ? IN_SPACE : 2 * SIZE * Math.tan((camera.fov * Math.PI) / 360);
    const size = share * depth;
    this.group.matrix.compose(place.at, place.rotation, new Vector3(size, size, size));
    this.group.matrixWorldNeedsUpdate = true;
  }

  /** Takes a pointer that goes down on a knob. */
  take(event: PointerEvent): { move(event: PointerEvent): void; end(): void } | null {
    const place = this.place();
    if (!place || !this.group.visible || this.context.studio.readOnly) return null;
    const { root } = this.context;
    const aim = this.context.aim(event.clientX, event.clientY);
    const felt = this.knobs.filter((knob) => knob.felt.visible).map((knob) => knob.felt);
    const found = castRay(aim, root, felt);
    const knob = this.knobs.find((one) => one.felt === found?.object);
    if (!knob) return null;
    const ray = (e: PointerEvent) => worldRay(this.context.aim(e.clientX, e.clientY), root);
    const axis = axisOf(knob, place);
    const zero = new Vector3().setComponent((knob.axis + 1) % 3, 1).applyQuaternion(place.rotation);
    const measure = (e: PointerEvent) =>
      knob.kind === "move"
        ? alongLine(ray(e), place.at, axis)
        : aroundAxis(ray(e), place.at, axis, zero);
    const start = measure(event);
    if (start === null) return null;
    const grab = this.hold(place);
    if (!grab.active) return null;
    this.active = knob;
    return {
      move: (e) => {
        const now = measure(e);
        if (now === null) return;
        this.shift(grab, place, knob, axis, now - start);
        this.context.invalidate();
      },
      end: () => {
        this.active = null;
        grab.release();
        this.context.invalidate();
      },
    };
  }

  /** The knobs that a hand can take now. */
  get bodies(): readonly Object3D[] {
    if (!this.group.visible || this.context.studio.readOnly) return [];
    return this.knobs.filter(({ felt }) => felt.visible).map(({ felt }) => felt);
  }

  /** What the knob of a body does, in words. */
  wordsFor(body: Object3D): string {
    const knob = this.knobs.find(({ felt }) => felt === body);
    if (!knob) return "";
    return `${knob.kind === "move" ? "move along" : "turn about"} ${"xyz"[knob.axis]}`;
  }

  /** Takes the knob of a body, at a place of the world, with a hand; null: it cannot be held. */
  takeBody(body: Object3D, at: Vector3): HeldKnob | null {
    const place = this.place();
    const knob = this.knobs.find(({ felt }) => felt === body);
    if (!place || !knob || this.context.studio.readOnly) return null;
    const axis = axisOf(knob, place);
    const grab = this.hold(place);
    if (!grab.active) return null;
    this.active = knob;
    const start = at.clone().sub(place.at);
    return {
      grab: isGrab(grab) ? grab : null,
      move: (now) => {
        const way = now.clone().sub(place.at);
        const by = knob.kind === "move" ? way.sub(start).dot(axis) : turnAbout(axis, start, way);
        this.shift(grab, place, knob, axis, by);
      },
      end: () => {
        this.active = null;
        grab.release();
      },
    };
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const { seen, felt, paint } of this.knobs) {
      seen.traverse((part) => (part as Mesh).geometry?.dispose());
      felt.geometry.dispose();
      paint.dispose();
    }
  }

  private hold(place: Place): Held {
    const { studio } = this.context;
    if (place.object !== null) return heldObject(studio, place.object);
    const { x, y, z, w } = place.rotation;
    const mode = studio.settings.dragMode;
    const spec: HandleSpec =
      mode === "rotate"
        ? { site: place.site, kind: "rotation", quat: [w, x, y, z] }
        : {
            site: place.site,
            kind: "pose",
            point: place.point,
            position: place.at.toArray(),
            quat: [w, x, y, z],
          };
    return studio.grab(spec);
  }

  private shift(grab: Held, place: Place, knob: Knob, axis: Vector3, by: number): void {
    if (knob.kind === "move") {
      grab.move({ position: place.at.clone().addScaledVector(axis, by).toArray() });
      return;
    }
    const turn = new Quaternion().setFromAxisAngle(axis, by).multiply(place.rotation);
    grab.move({ quat: [turn.w, turn.x, turn.y, turn.z] });
  }

  /** Where the gizmo belongs now; null where there is nothing to turn. */
  private place(): Place | null {
    const { studio } = this.context;
    const { selection, model, poses, settings } = studio;
    if (selection?.kind === "object") return this.objectPlace(selection.index);
    if (!model || !selection || settings.dragMode === "point") return null;
    if (selection.kind !== "link" && selection.kind !== "frame") return null;
    if (selection.kind === "link" && selection.index === 0) return null;
    const site = selection.index + (selection.kind === "frame" ? model.linkCount : 0);
    if (poses.length < 7 * (site + 1)) return null;
    const pose = poseAt(poses, site);
    const point = Array.from(selection.point ?? [0, 0, 0]) as [number, number, number];
    const [w, x, y, z] = quatOf(pose);
    return {
      site,
      object: null,
      point,
      at: new Vector3(...applyPose(pose, point)),
      rotation: new Quaternion(x, y, z, w),
    };
  }

  private objectPlace(index: number): Place | null {
    const { scene } = this.context.studio;
    const object = scene.objects[index]?.name;
    const pose = object === undefined || scene.isCarried(object) ? null : scene.pose(object);
    if (object === undefined || pose === null) return null;
    const [w, x, y, z] = quatOf(pose);
    const at = new Vector3(pose[4], pose[5], pose[6]);
    return { site: -1, object, point: [0, 0, 0], at, rotation: new Quaternion(x, y, z, w) };
  }

  private knob(kind: Knob["kind"], axis: number, seen: BufferGeometry[], felt: BufferGeometry) {
    const paint = new MeshBasicMaterial({
      toneMapped: false,
      transparent: true,
      depthTest: false,
    });
    const turned = new Matrix4();
    // Arrows stand along y and rings around z as they are made.
    if (kind === "move" && axis === 0) turned.makeRotationZ(-Math.PI / 2);
    if (kind === "move" && axis === 2) turned.makeRotationX(Math.PI / 2);
    if (kind === "turn" && axis === 0) turned.makeRotationY(Math.PI / 2);
    if (kind === "turn" && axis === 1) turned.makeRotationX(Math.PI / 2);
    const [first, ...rest] = seen.map((geometry) => {
      const mesh = new Mesh(geometry, paint);
      mesh.renderOrder = 9;
      return mesh;
    });
    first.applyMatrix4(turned);
    if (rest.length) first.add(...rest);
    const hidden = new Mesh(felt, new MeshBasicMaterial({ colorWrite: false, depthWrite: false }));
    hidden.applyMatrix4(turned);
    this.group.add(first, hidden);
    this.knobs.push({ kind, axis, seen: first, felt: hidden, paint });
  }
}

/** A knob's axis in the world. */
function axisOf({ axis }: Knob, { rotation }: Place): Vector3 {
  return new Vector3().setComponent(axis, 1).applyQuaternion(rotation);
}

/** The angle about an axis from one direction to another [rad]. */
function turnAbout(axis: Vector3, from: Vector3, to: Vector3): number {
  const [a, b] = [from, to].map((way) => way.clone().projectOnPlane(axis));
  return Math.atan2(a.clone().cross(b).dot(axis), a.dot(b));
}

const isGrab = (held: Held): held is Grab => "spec" in held;
