// What is simulated stays in sight: the view draws back when parts fall or swing out of it.
import { Box3, Vector3 } from "three";
import type { Part, ViewContext } from "./part.ts";
import { toThree } from "./spaces.ts";

/** How often it is looked at [s]. */
const LOOK = 0.15;
/** Where it has been for so long is kept in sight too: what swings shall not swing the view [s]. */
const MEMORY = 4;
/** Edges of the picture, of -1 … 1; controls lie over the lowest part. */
const EDGE = 0.98;
const FOOT = -0.84;

export class KeepInSight implements Part {
  private boxes: Box3[][] = [];
  private shown = new Box3();
  private since = 0;
  private wasRunning = false;

  constructor(private readonly context: ViewContext) {}

  rebuild(): void {
    this.boxes = [];
  }

  frame(seconds: number): void {
    const { studio, camera } = this.context;
    const { isRunning, hands } = studio.simulation;
    if (isRunning && !this.wasRunning) {
      camera.isHandled = false;
      this.boxes = [];
      this.shown = union(this.links());
      this.since = 0;
    }
    this.wasRunning = isRunning;
    if (!isRunning) return;
    this.since += seconds;
    if (this.since < LOOK) return;
    this.since = 0;
    this.boxes.push(this.links());
    this.boxes.splice(0, Math.max(0, this.boxes.length - Math.round(MEMORY / LOOK)));
    // who holds a part, or has chosen what to see, sees what he has chosen
    if (hands.all.length > 0 || camera.isHandled) return;
    const all = this.boxes.flat();
    const room = union(all);
    if (this.shown.containsBox(room) || !corners(this.boxes.at(-1)!).some((p) => this.isOut(p)))
      return;
    this.shown = room.expandByScalar(0.01 * this.context.extent);
    camera.fit(corners(all));
    this.context.invalidate();
  }

  dispose(): void {
    this.boxes = [];
  }

  /** Boxes around the links, in the world. */
  private links(): Box3[] {
    return this.context.links.views.flatMap(({ solid, group }) => {
      const { geometry } = solid;
      if (geometry.boundingBox === null) geometry.computeBoundingBox();
      const { boundingBox: box } = geometry;
      return box && !box.isEmpty() ? [box.clone().applyMatrix4(group.matrix)] : [];
    });
  }

  private isOut(place: Vector3): boolean {
    const { x, y } = toThree(place.toArray()).project(this.context.camera.camera);
    return Math.abs(x) > EDGE || y > EDGE || y < FOOT;
  }
}

const union = (boxes: readonly Box3[]): Box3 =>
  boxes.reduce((all, box) => all.union(box), new Box3());

function corners(boxes: readonly Box3[]): Vector3[] {
  return boxes.flatMap(({ min, max }) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map(
      (i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z),
    ),
  );
}
