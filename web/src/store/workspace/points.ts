// Points on their way from the studio to the view: arrays that fill up as pieces come.
import type {
  CloudDetailPiece,
  CloudPointsPiece,
  CloudValuesPiece,
  ZonePointsPiece,
} from "../../wire/messages.ts";
import { floats, type Piece } from "../../wire/piece-frame.ts";

/** Groups that can be distinguished and hidden one by one. */
export const MOST_GROUPS = 24;

/** A piece of points, of a cloud or a zone. */
export type PointsPiece = Piece<CloudDetailPiece | CloudPointsPiece | ZonePointsPiece>;

export class PointSet {
  xyz = new Float32Array(0);
  /** Point number in the whole set: pose · groups + group. */
  tags = new Uint32Array(0);
  /** Link, frame or mode of each point. */
  groups = new Uint8Array(0);
  values = new Float32Array(0);
  count = 0;
  groupCount = 1;
  /** Grows when the arrays are others. */
  generation = 0;
  /** Grows when values of points that are there already have changed. */
  revision = 0;

  get capacity(): number {
    return this.tags.length;
  }

  /** Makes room for other points. */
  begin(capacity: number, groupCount: number): void {
    this.count = 0;
    this.groupCount = Math.max(1, groupCount);
    this.generation += 1;
    this.revision += 1;
    this.xyz = new Float32Array(3 * capacity);
    this.tags = new Uint32Array(capacity);
    this.groups = new Uint8Array(capacity);
    this.values = new Float32Array(capacity);
  }

  /** Takes a piece: x y z …, tags, and values where its head says so. */
  add(piece: PointsPiece): void {
    const { head, data } = piece;
    const sent = head.count;
    const count = Math.min(sent, this.capacity - this.count);
    if (count <= 0) return;
    const first = this.count;
    this.xyz.set(floats(piece, 0, 3 * count), 3 * first);
    const tags = new Uint32Array(data.buffer, data.byteOffset + 12 * sent, count);
    this.tags.set(tags, first);
    for (let i = 0; i < count; i++) this.groups[first + i] = tags[i] % this.groupCount;
    if (head.valued) this.values.set(floats(piece, 4 * sent, count), first);
    this.count = first + count;
  }

  /** Gives all points the values that came later than they. */
  setValues(piece: Piece<CloudValuesPiece>): void {
    const values = floats(piece);
    this.values.set(values.subarray(0, Math.min(values.length, this.count)));
    this.revision += 1;
  }

  clear(): void {
    if (this.capacity) this.begin(0, 1);
  }
}

/** The pose that made a point, and the group it belongs to. */
export const poseOf = (tag: number, groupCount: number): { pose: number; group: number } => ({
  pose: Math.floor(tag / groupCount),
  group: tag % groupCount,
});

/** Whether a place lies within planes (rows n, d: inside where n·p + d ≥ 0). */
export function isWithin(planes: ArrayLike<number>, x: number, y: number, z: number): boolean {
  for (let i = 0; i < planes.length; i += 4)
    if (planes[i] * x + planes[i + 1] * y + planes[i + 2] * z + planes[i + 3] < 0) return false;
  return true;
}

/** The share of some points that lies within planes, by a part of them. */
export function shareWithin(set: PointSet, planes: ArrayLike<number>, sample = 2000): number {
  // the first points are spread over all
  const count = Math.min(sample, set.count);
  let inside = 0;
  for (let i = 0; i < count; i++)
    if (isWithin(planes, set.xyz[3 * i], set.xyz[3 * i + 1], set.xyz[3 * i + 2])) inside += 1;
  return count ? inside / count : 0;
}
