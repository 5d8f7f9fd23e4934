// A planned path: what the studio sends in pieces, put together.
import type { PathData, PieceOf } from "../../wire/messages.ts";
import type { Piece } from "../../wire/piece-frame.ts";
import { floats } from "../../wire/piece-frame.ts";
import type { Triple } from "./curves.ts";

/** Another time law for one stretch. */
export interface TimedRun {
  first: number;
  count: number;
  times: Float32Array;
  v: Float32Array;
  vdot: Float32Array;
}

export class PathPlan {
  xyz = new Float32Array(0);
  ways = new Float32Array(0);
  times = new Float32Array(0);
  singular = new Float32Array(0);
  /** A row of nq numbers per point; NaN where it is not reached. */
  poses = new Float64Array(0);
  v = new Float32Array(0);
  vdot = new Float32Array(0);
  /** The curve in fine steps, 3 numbers each. */
  line = new Float32Array(0);
  /** Curves of the surface that this is one of. */
  grid: { curves: number; points: number; xyz: Float32Array } | null = null;
  timed: TimedRun | null = null;
  /** Whether it should be brought into view. */
  isNew = false;
  nq = 0;
  nv = 0;
  private met = new Float32Array(0);
  private received: PathData | null = null;

  /** Takes a piece as it comes. */
  take(piece: Piece<PieceOf<"path_plan">>): void {
    const { head } = piece;
    switch (head.kind) {
      case "points": {
        const { count } = head;
        this.xyz = floats(piece, 0, 3 * count);
        this.ways = floats(piece, 3 * count, count);
        this.times = floats(piece, 4 * count, count);
        this.singular = floats(piece, 5 * count, count);
        this.met = floats(piece, 6 * count, count);
        this.line = this.xyz;
        break;
      }
      case "poses": {
        const { count } = head;
        this.nq = head.nq;
        // begins at a multiple of 8 bytes
        this.poses = new Float64Array(piece.data.buffer, piece.data.byteOffset, count * this.nq);
        break;
      }
      case "rates": {
        const { count } = head;
        this.nv = head.nv;
        this.v = floats(piece, 0, count * this.nv);
        this.vdot = floats(piece, count * this.nv, count * this.nv);
        break;
      }
      case "line":
        this.line = floats(piece);
        break;
      case "grid":
        this.grid = {
          curves: head.curves,
          points: head.points,
          xyz: floats(piece),
        };
        break;
      case "timed": {
        const { first, count } = head;
        const n = count * this.nv;
        this.timed = {
          first,
          count,
          times: floats(piece, 0, count),
          v: floats(piece, count, n),
          vdot: floats(piece, count + n, n),
        };
      }
    }
  }

  /** Takes the answer that comes after the pieces. */
  finish(answer: PathData): this {
    this.received = answer;
    return this;
  }

  get answer(): PathData {
    if (this.received === null) throw new Error("the path is not complete yet");
    return this.received;
  }
  get count(): number {
    return this.times.length;
  }

  isReached(i: number): boolean {
    return this.met[i] === 1;
  }
  point(i: number): Triple {
    return [this.xyz[3 * i], this.xyz[3 * i + 1], this.xyz[3 * i + 2]];
  }
  pose(i: number): Float64Array {
    return this.poses.slice(i * this.nq, (i + 1) * this.nq);
  }

  /** The reached point next to one, first in the direction of travel; null when none is. */
  nearest(i: number, towards = 1): number | null {
    const from = Math.min(this.count - 1, Math.max(0, Math.round(i)));
    if (this.isReached(from)) return from;
    for (const sign of [towards < 0 ? -1 : 1, towards < 0 ? 1 : -1])
      for (let k = from; k >= 0 && k < this.count; k += sign) if (this.isReached(k)) return k;
    return null;
  }

  /** Index of the unbroken stretch that a point belongs to; -1 for none. */
  runOf(i: number): number {
    return this.answer.runs.findIndex(([first, last]) => first <= i && i <= last);
  }

  /** The stretch with the most points; -1 for none. */
  get longest(): number {
    const lengths = this.answer.runs.map(([first, last]) => last - first);
    return lengths.indexOf(Math.max(...lengths));
  }

  /** Why a point is not reached; '' when it is. */
  reason(i: number): string {
    if (this.isReached(i)) return "";
    const own = this.answer.reasons[String(i)];
    return own ?? this.answer.gaps.find((gap) => gap.first <= i && i <= gap.last)?.reason ?? "";
  }

  /** The middle of the box around its points; null without points. */
  get middle(): Triple | null {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < this.xyz.length; ++i) {
      const x = this.xyz[i];
      if (!Number.isFinite(x)) continue;
      low[i % 3] = Math.min(low[i % 3], x);
      high[i % 3] = Math.max(high[i % 3], x);
    }
    return low.every(Number.isFinite)
      ? [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2]
      : null;
  }
}
