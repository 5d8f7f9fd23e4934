// Pointers on a path in the 3D view: dragging its handles, drawing, picking places.
import type { Face, Group, Object3D, Vector3 } from "three";
import { PointerGrab } from "../../interact/grab.ts";
import type { NoticeHost, PathHost } from "../../store/hosts.ts";
import type { CurveHandle } from "../../store/path/handles.ts";
import type { Paths } from "../../store/path/paths.ts";
import type { Triple } from "../../store/path/vectors.ts";
import type { ViewContext } from "../part.ts";
import { onPlane, plainRay, worldRay } from "../pointing/rays.ts";

/** How near a pointer must be to a handle or a mark [px]. */
export const REACH = { mouse: 12, touch: 24 };

export interface PathAround {
  /** Shows everything, the path too. */
  fit(): void;
  onScreen(place: Triple): [number, number];
  planeOf(): Vector3 | null;
  /** What a pixel shows of links and objects: the place and the way out of the surface. */
  surface(clientX: number, clientY: number): { at: Triple; normal: Triple } | null;
}

type Taken = { move(event: PointerEvent): void; end(): void };

export class PathPointers {
  /** The handle in hand. */
  held: string | null = null;

  constructor(
    private readonly context: ViewContext<
      NoticeHost & PathHost,
      "root" | "camera" | "aim" | "invalidate"
    >,
    private readonly canvas: HTMLCanvasElement,
    private readonly around: PathAround,
  ) {}

  /** Takes a pointer that draws, picks, or goes down on a handle. */
  take(event: PointerEvent): Taken | null {
    const { paths } = this;
    if (event.button !== 0 || this.context.studio.readOnly) return null;
    if (paths.mode === "draw") return this.drawing(event);
    if (paths.mode === "pick") return this.picking(event);
    const handle = this.handleAt(event);
    return handle && this.dragging(handle, event);
  }

  private get paths(): Paths {
    return this.context.studio.paths;
  }

  private ray(event: PointerEvent) {
    return worldRay(this.context.aim(event.clientX, event.clientY), this.context.root);
  }

  inCanvas(event: PointerEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The handle under the pointer. */
  handleAt(event: PointerEvent): CurveHandle | null {
    const [x, y] = this.inCanvas(event);
    let near = event.pointerType === "touch" ? REACH.touch : REACH.mouse;
    let found: CurveHandle | null = null;
    // points lie over the middle where both are near
    for (const handle of this.paths.handles.toReversed()) {
      const [u, v] = this.around.onScreen(handle.at);
      const distance = Math.hypot(u - x, v - y);
      if (distance <= near) [found, near] = [handle, distance];
    }
    return found;
  }

  private dragging(handle: CurveHandle, event: PointerEvent): Taken {
    const { paths } = this;
    const { camera } = this.context;
    const plane = this.around.planeOf()?.toArray() ?? paths.place?.normal ?? [0, 0, 1];
    // Alt: freely, in the plane that faces the eye
    const held = new PointerGrab(
      handle.at,
      plainRay(this.ray(event)),
      camera.basis()[2].negate().toArray(),
      { planeNormal: event.altKey && !paths.place?.flat ? null : plane },
    );
    this.held = handle.id;
    return {
      move: (e) => paths.moveHandle(handle.id, held.target(plainRay(this.ray(e)))),
      end: () => {
        this.held = null;
        this.context.invalidate();
      },
    };
  }

  private drawing(event: PointerEvent): Taken {
    const { paths, context } = this;
    const normal = this.around.planeOf()?.clone() ?? context.camera.basis()[2].clone();
    const place = paths.place;
    if (!this.around.planeOf() && place) normal.set(...place.normal);
    const view = context.camera.basis()[2];
    // a plane seen edge-on is none to draw in
    if (Math.abs(normal.dot(view)) < 0.12) normal.copy(view);
    const through = place?.centre ?? [0, 0, 0];
    const add = (e: PointerEvent): void => {
      const at = onPlane(this.ray(e), through, normal);
      if (at) paths.draw(at.toArray());
    };
    add(event);
    return { move: add, end: () => paths.endDraw() };
  }

  private picking(event: PointerEvent): Taken | null {
    const hit = this.around.surface(event.clientX, event.clientY);
    if (!hit) return null;
    let moved = false;
    return {
      move: (e) => (moved ||= Math.hypot(e.clientX - event.clientX, e.clientY - event.clientY) > 4),
      end: () => !moved && this.paths.pick(hit.at, hit.normal),
    };
  }
}

/** The way out of a surface that a ray has met, in the root's axes. */
export function surfaceNormal(
  found: { face: Face | null; object: Object3D },
  root: Group,
): Vector3 | null {
  if (!found.face) return null;
  const normal = found.face.normal.clone().transformDirection(found.object.matrixWorld);
  return normal.transformDirection(root.matrixWorld.clone().invert());
}
