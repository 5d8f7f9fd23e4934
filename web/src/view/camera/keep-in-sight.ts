// What is simulated or runs stays in sight: the view draws back when parts move out of it.
import { Box3, Vector3 } from "three";
import type { MotionHost, SimulationHost } from "../../store/hosts.ts";
import type { Part, ViewContext } from "../part.ts";
import { toThree } from "../spaces.ts";

/** How often it is looked at [s]. */
const LOOK = 0.15;
/** Where it has been for so long is kept in sight too: what swings shall not swing the view [s]. */
const MEMORY = 4;
/** Edges of the picture at its sides, of -1 … 1. */
const EDGE = 0.98;
/** How much of its height is kept free above and below at least. */
const RIM = 0.02;

export class KeepInSight implements Part {
  /** Recent corners of all links. */
  private trail: Vector3[][] = [];
  private shown = new Box3();
  private since = 0;
  private size = "";
  private wasRunning = false;

  constructor(
    private readonly context: ViewContext<
      MotionHost & SimulationHost,
      "links" | "camera" | "extent" | "height" | "invalidate"
    >,
  ) {}

  rebuild(): void {
    this.trail = [];
  }

  frame(seconds: number): void {
    const { studio, camera } = this.context;
    const { isRunning: isSimulated, hands } = studio.simulation;
    const isRunning = isSimulated || studio.run.isRunning;
    if (isRunning && !this.wasRunning) {
      // a run is paused and resumed: what was chosen to be seen stays
      if (isSimulated) camera.isHandled = false;
      this.trail = [];
      this.shown = new Box3().setFromPoints(this.corners());
      this.since = 0;
    }
    this.wasRunning = isRunning;
    if (!isRunning) return;
    this.since += seconds;
    if (this.since < LOOK) return;
    this.since = 0;
    const now = this.corners();
    this.trail.push(now);
    this.trail.splice(0, Math.max(0, this.trail.length - Math.round(MEMORY / LOOK)));
    // who holds a part, or has chosen what to see, sees what he has chosen
    if (hands.all.length > 0 || camera.isHandled) return;
    const all = this.trail.flat();
    // what runs comes back to where it was: all of that is kept in sight
    if (!isSimulated) all.push(...cornersOf(this.shown));
    const room = new Box3().setFromPoints(all);
    const { top, bottom } = camera.covered();
    const [head, foot] = [1 - 2 * Math.max(RIM, top), 2 * Math.max(RIM, bottom) - 1];
    const isOut = ({ x, y }: Vector3) => Math.abs(x) > EDGE || y > head || y < foot;
    if (!now.some((place) => isOut(toThree(place.toArray()).project(camera.camera)))) return;
    // the picture may have become smaller
    const size = `${this.context.height} ${camera.camera.aspect}`;
    if (this.shown.containsBox(room) && size === this.size) return;
    this.size = size;
    this.shown = room.expandByScalar(0.01 * this.context.extent);
    camera.fit(all);
    this.context.invalidate();
  }

  dispose(): void {
    this.trail = [];
  }

  /** Of the boxes that links lie in, in the world. */
  private corners(): Vector3[] {
    return this.context.links.views.flatMap(({ solid: { geometry }, group }) => {
      if (geometry.boundingBox === null) geometry.computeBoundingBox();
      const { boundingBox: box } = geometry;
      if (!box || box.isEmpty()) return [];
      return cornersOf(box).map((corner) => corner.applyMatrix4(group.matrix));
    });
  }
}

function cornersOf({ min, max }: Box3): Vector3[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map(
    (i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z),
  );
}
