// What a hand is at: the part beside it, else what its ray meets first.
import { Matrix4, type Object3D, Ray, Vector3 } from "three";
import type { CurveHandle } from "../../store/path/handles.ts";
import type { Ghost } from "../../store/types.ts";
import type { NoticeHost, PathHost } from "../../store/hosts.ts";
import type { Viewer } from "../../view/viewer.ts";
import type { Hand } from "./inputs.ts";
import { firstAlong, nearest, type SurfaceHit } from "./near.ts";
import { pointAlong, pointNear } from "./points.ts";

/** Something of the scene that a hand can take. */
export type Aim = {
  /** In the world [m]. */
  at: Vector3;
  /** Out of the surface, in the world; null where that is not known. */
  normal: Vector3 | null;
  /** By the hand itself, or by its ray. */
  by: "hand" | "ray";
  /** From the hand, in the room [m]. */
  distance: number;
} & (
  | { kind: "link"; link: number }
  | { kind: "object"; index: number }
  | { kind: "phantom"; ghost: Ghost }
  | { kind: "handle"; id: string; label: string }
  /** An arrow or ring of the chosen part: `body` of the view. */
  | { kind: "knob"; body: Object3D; label: string }
);

/** A part within this distance of a hand is taken without its ray [m of the room]. */
export const TOUCH = 0.05;
/** Arrows and rings are small, and beside what they move [m of the room]. */
const TOUCH_KNOB = 0.02;
/** A ray ends here [m of the room]. */
const FARTHEST = 60;

/** What the hand's ray meets, or what a panel before it leaves: the nearer of them. */
export function isBefore(aim: Aim | null, panel: number | null): boolean {
  if (panel === null) return true;
  // what a hand touches is meant, whatever is behind it
  return aim !== null && (aim.by === "hand" || aim.distance < panel);
}

export class Aims {
  constructor(
    private readonly studio: NoticeHost & PathHost,
    private readonly viewer: Viewer,
  ) {}

  /** What a hand is at now; X_WR: the room in the world, with its scale. */
  of(hand: Hand, X_WR: Matrix4, scale: number): Aim | null {
    return this.beside(hand, X_WR, scale) ?? this.along(hand, X_WR, scale);
  }

  private beside(hand: Hand, X_WR: Matrix4, scale: number): Aim | null {
    // eyes and fingers on a screen have no place; a pinch that eyes lead has one
    if (hand.grip === null) return null;
    const { root } = this.viewer;
    const from = new Vector3().setFromMatrixPosition(hand.grip).applyMatrix4(X_WR);
    const point = pointNear(this.handles(), from, TOUCH * scale);
    if (point) return this.handleAt(point.one, "hand", point.distance / scale);
    root.localToWorld(from);
    const knob = nearest(this.viewer.gizmo.bodies, from, TOUCH_KNOB * scale);
    if (knob) return this.knobAt(knob, "hand", scale);
    // the base does not move: it is in nobody's way
    const hit = nearest(this.bodies(1), from, TOUCH * scale);
    if (!hit) return null;
    const normal = from.clone().sub(hit.place).normalize();
    return this.aimAt(hit.object, hit.place, normal, "hand", hit.distance / scale);
  }

  private along(hand: Hand, X_WR: Matrix4, scale: number): Aim | null {
    if (hand.ray === null) return null;
    const { root } = this.viewer;
    const X_WH = X_WR.clone().multiply(hand.ray);
    const point = pointAlong(this.handles(), X_WH);
    if (point) return this.handleAt(point.one, "ray", point.distance / scale);
    const X_TH = X_WH.premultiply(root.matrixWorld);
    const origin = new Vector3().setFromMatrixPosition(X_TH);
    const ray = new Ray(origin, new Vector3(0, 0, -1).transformDirection(X_TH));
    const far = FARTHEST * scale;
    // they are drawn over what is before them
    const knob = firstAlong(this.viewer.gizmo.bodies, ray, far);
    if (knob) return this.knobAt(knob, "ray", scale);
    const hit = firstAlong(this.viewer.touchable, ray, far);
    // whatever way its faces are turned, a surface faces the hand
    const normal = hit?.normal?.multiplyScalar(hit.normal.dot(ray.direction) > 0 ? -1 : 1) ?? null;
    const aim = hit && this.aimAt(hit.object, hit.place, normal, "ray", hit.distance / scale);
    if (aim) return aim;
    let distance = 0;
    const ghost = this.viewer.phantomAlong((bodies) => {
      const first = firstAlong(bodies, ray, far);
      distance = (first?.distance ?? 0) / scale;
      return first?.object;
    });
    if (!ghost) return null;
    const at = root.worldToLocal(ray.at(distance * scale, new Vector3()));
    return { kind: "phantom", ghost, at, normal: null, by: "ray", distance };
  }

  private knobAt({ object, place, distance }: SurfaceHit, by: Aim["by"], scale: number): Aim {
    const { root, gizmo } = this.viewer;
    const at = root.worldToLocal(place.clone());
    const common = { at, normal: null, by, distance: distance / scale };
    return { kind: "knob", body: object, label: gizmo.wordsFor(object), ...common };
  }

  private aimAt(
    body: Object3D,
    place: Vector3,
    normal: Vector3 | null,
    by: Aim["by"],
    distance: number,
  ): Aim | null {
    const { root } = this.viewer;
    const common = {
      at: root.worldToLocal(place.clone()),
      normal:
        normal?.clone().transformDirection(new Matrix4().copy(root.matrixWorld).invert()) ?? null,
      ...{ by, distance },
    };
    const link = this.viewer.linkOf(body);
    // the base does not move, but it hides what is behind it
    if (link !== null) return link === 0 ? null : { kind: "link", link, ...common };
    const index = body.userData.object as number | undefined;
    return index === undefined ? null : { kind: "object", index, ...common };
  }

  /** What of a curve can be dragged, as in the page. */
  private handles(): readonly CurveHandle[] {
    const { paths, readOnly } = this.studio;
    return readOnly ? [] : paths.handles;
  }

  private handleAt({ at, id, label }: CurveHandle, by: Aim["by"], distance: number): Aim {
    return { kind: "handle", id, label, at: new Vector3(...at), normal: null, by, distance };
  }

  /** Objects, and links from a number on. */
  private bodies(first = 0): Object3D[] {
    const { links, objects } = this.viewer;
    return [
      ...links.views.slice(first).flatMap(({ solid, loaded }) => [solid, loaded]),
      objects.group,
    ];
  }
}
