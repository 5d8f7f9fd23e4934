// Triangles of a geometry in small groups with boxes around them: rays and hands look into few.
import { Box3, type BufferGeometry, type Ray, Triangle, Vector3 } from "three";

/** Triangles of one group: those of one shape follow each other, so they lie together. */
const GROUP = 48;
/** Larger geometries are prepared between frames [triangles], so long at a time [ms]. */
const SMALL = 6_000;
const SLICE = 3;

/** Those that are being prepared, the oldest first. */
const waiting: Chunks[] = [];
const known = new WeakMap<BufferGeometry, Chunks>();
const box = new Box3();
const found = new Vector3();
const triangle = new Triangle();

export class Chunks {
  private readonly boxes: Float32Array;
  private readonly count: number;
  private readonly groups: number;
  /** Groups that have their boxes. */
  private done = 0;

  /** Those of a geometry, made once; null while they are prepared: no frame waits for large ones. */
  static of(geometry: BufferGeometry): Chunks | null {
    const chunks = Chunks.soon(geometry);
    const isReady = chunks.prepare(chunks.count <= SMALL ? Infinity : 0);
    return isReady ? chunks : null;
  }

  /** Those of a geometry, prepared before they are wanted. */
  static soon(geometry: BufferGeometry): Chunks {
    let chunks = known.get(geometry);
    if (chunks) return chunks;
    known.set(geometry, (chunks = new Chunks(geometry)));
    if (waiting.push(chunks) === 1) setTimeout(work);
    return chunks;
  }

  private constructor(private readonly geometry: BufferGeometry) {
    const corners = geometry.index?.count ?? geometry.getAttribute("position").count;
    this.count = Math.floor(corners / 3);
    this.groups = Math.ceil(this.count / GROUP);
    this.boxes = new Float32Array(6 * this.groups);
  }

  /** Makes boxes for so long [ms]; true: all are there. */
  prepare(most: number): boolean {
    const end = performance.now() + most;
    for (; this.done < this.groups && performance.now() < end; this.done += 1) {
      box.makeEmpty();
      this.each(this.done, () => box.expandByPoint(triangle.a).expandByPoint(triangle.b).expandByPoint(triangle.c)); // prettier-ignore
      box.min.toArray(this.boxes, 6 * this.done);
      box.max.toArray(this.boxes, 6 * this.done + 3);
    }
    return this.done === this.groups;
  }

  /** The first place that a ray meets, in the geometry's own axes; null: none. */
  along(ray: Ray): { place: Vector3; normal: Vector3 } | null {
    let best: { place: Vector3; normal: Vector3 } | null = null;
    let least = Infinity;
    for (let group = 0; 6 * group < this.boxes.length; group += 1) {
      if (!ray.intersectsBox(this.boxOf(group))) continue;
      this.each(group, () => {
        if (!ray.intersectTriangle(triangle.a, triangle.b, triangle.c, false, found)) return;
        const far = ray.origin.distanceToSquared(found);
        if (far >= least) return;
        least = far;
        best = { place: found.clone(), normal: triangle.getNormal(new Vector3()) };
      });
    }
    return best;
  }

  /** The place nearest to another, within a distance, in the geometry's own axes; null: none. */
  nearest(from: Vector3, within: number): Vector3 | null {
    let best: Vector3 | null = null;
    let least = within;
    for (let group = 0; 6 * group < this.boxes.length; group += 1) {
      if (this.boxOf(group).distanceToPoint(from) >= least) continue;
      this.each(group, () => {
        triangle.closestPointToPoint(from, found);
        const far = found.distanceTo(from);
        if (far >= least) return;
        least = far;
        best = found.clone();
      });
    }
    return best;
  }

  private boxOf(group: number): Box3 {
    box.min.fromArray(this.boxes, 6 * group);
    box.max.fromArray(this.boxes, 6 * group + 3);
    return box;
  }

  /** Calls for each triangle of a group, which is `triangle` then. */
  private each(group: number, call: () => void): void {
    const { index } = this.geometry;
    const position = this.geometry.getAttribute("position");
    const end = Math.min(this.count, (group + 1) * GROUP);
    for (let i = group * GROUP; i < end; i += 1) {
      const at = (k: number): number => (index ? index.getX(3 * i + k) : 3 * i + k);
      triangle.setFromAttributeAndIndices(position, at(0), at(1), at(2));
      call();
    }
  }
}

/** Continues what is waiting, between frames. */
function work(): void {
  if (waiting[0]?.prepare(SLICE)) waiting.shift();
  if (waiting.length) setTimeout(work);
}
