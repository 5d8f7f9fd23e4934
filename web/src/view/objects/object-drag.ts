// Objects under the pointer: pulled over the floor, or in the mechanism's plane where it has one.
import type { Vector3 } from "three";
import { PointerGrab } from "../../interact/grab.ts";
import { minus, type Three } from "../../kernel/spatial.ts";
import type { ChoiceHost, NoticeHost, SceneHost } from "../../store/hosts.ts";
import type { ViewContext } from "../part.ts";
import { plainRay, worldRay } from "../pointing/rays.ts";

/** A pointer must move this far to drag rather than click [px]. */
const CLICK = 3;

/** A place of an object under the pointer. */
export interface ObjectHit {
  index: number;
  /** In the world [m]. */
  at: Three;
}

export type ObjectDragContext = ViewContext<
  ChoiceHost & NoticeHost & SceneHost,
  "root" | "camera" | "aim" | "invalidate"
>;

export class ObjectDrag {
  constructor(
    private readonly context: ObjectDragContext,
    private readonly around: {
      hit(event: PointerEvent): ObjectHit | null;
      planeOf(): Vector3 | null;
    },
  ) {}

  /** Takes a pointer that goes down on an object that can be moved. */
  take(event: PointerEvent): { move(event: PointerEvent): void; end(): void } | null {
    const { studio, camera, root } = this.context;
    if (event.button !== 0 || event.shiftKey || studio.readOnly) return null;
    const hit = this.around.hit(event);
    const object = hit && studio.scene.objects[hit.index];
    if (!hit || !object || object.fixed) return null;
    const { name } = object;
    const start = Array.from(studio.scene.pose(name) ?? object.pose);
    const ray = (e: PointerEvent) =>
      plainRay(worldRay(this.context.aim(e.clientX, e.clientY), root));
    // Alt: up and down too, in the plane that faces the eye
    const floor = this.around.planeOf()?.toArray() ?? camera.up.toArray();
    const held = new PointerGrab(hit.at, ray(event), camera.basis()[2].negate().toArray(), {
      planeNormal: event.altKey ? null : floor,
    });
    let moved = false;
    return {
      move: (e) => {
        const far = Math.hypot(e.clientX - event.clientX, e.clientY - event.clientY);
        if (!moved && far <= CLICK) return;
        if (!moved) studio.select({ kind: "object", index: hit.index });
        moved = true;
        const by = minus(held.target(ray(e)), hit.at);
        const place = [0, 1, 2].map((k) => start[4 + k] + by[k]);
        studio.scene.move(name, [...start.slice(0, 4), ...place]);
        this.context.invalidate();
      },
      end: () => {
        if (!moved) studio.select({ kind: "object", index: hit.index });
        else
          studio.scene.place(name).catch((error: Error) => studio.notice("error", error.message));
        this.context.invalidate();
      },
    };
  }
}
