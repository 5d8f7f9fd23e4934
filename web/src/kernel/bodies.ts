// The bodies of a mechanism in the kernels' memory: which touch, and what drags avoid.
import type { BodiesResult } from "../wire/messages.ts";
import { Doubles, fromBase64, Integers } from "./memory.ts";
import type { PageModel } from "./page-model.ts";

/** Two bodies that are near each other. */
export interface Near {
  a: string;
  b: string;
  /** [m]; negative: how deep. */
  distance: number;
  /** Nearest points of both, world axes [m]. */
  from: readonly number[];
  to: readonly number[];
}

/** Numbers of a row: distance, normal, nearest points. */
const ROW = 10;
/** Pairs that are listed at most: more than anybody reads. */
const ROOM = 64;

export class Bodies {
  readonly clearance: number;
  private readonly body: Int32Array;
  private readonly meets: Int32Array;
  private bound: { generation: number; handle: number } | null = null;
  private room: { generation: number; q: Doubles; shapes: Integers; rows: Doubles } | null = null;

  constructor(
    readonly model: PageModel,
    private readonly data: BodiesResult,
  ) {
    this.clearance = data.clearance;
    this.body = new Int32Array(fromBase64(data.body));
    this.meets = new Int32Array(fromBase64(data.meets));
  }

  get remarks(): readonly string[] {
    return this.data.remarks;
  }

  /** For the kernels; bound again when they were started again. */
  get handle(): number {
    const { kernels } = this.model;
    if (this.bound === null || this.bound.generation !== kernels.generation)
      this.bound = { generation: kernels.generation, handle: this.bind() };
    return this.bound.handle;
  }

  /** Bodies that are nearer to each other than a margin [m], the deepest first. */
  near(q: Float64Array, margin: number): Near[] {
    const which = this.handle;
    return this.model.run(({ handle }, exports) => {
      const room = this.space();
      room.q.view.set(q);
      const count = exports.kg_clearances(
        handle, which, room.q.pointer, room.q.count, margin,
        room.shapes.pointer, room.shapes.count, room.rows.pointer, room.rows.count,
      ) as number; // prettier-ignore
      if (count < 0) throw new Error(`the kernels rejected a call (${count})`);
      const shapes = room.shapes.view;
      const rows = room.rows.view;
      return Array.from({ length: Math.min(count, ROOM) }, (_, i) => ({
        a: this.name(shapes[2 * i]),
        b: this.name(shapes[2 * i + 1]),
        distance: rows[ROW * i],
        from: Array.from(rows.subarray(ROW * i + 4, ROW * i + 7)),
        to: Array.from(rows.subarray(ROW * i + 7, ROW * i + 10)),
      })).sort((one, other) => one.distance - other.distance);
    });
  }

  /** Bodies that overlap, and not only rest on each other. */
  touching(q: Float64Array): Near[] {
    return this.near(q, 0).filter(({ distance }) => distance < -this.data.tolerance);
  }

  /** The two bodies of a pair, as the kernels number them. */
  pair(number: number): readonly [string, string] | null {
    const count = this.body.length;
    let at = -1;
    for (let i = 0; i < count; ++i)
      for (let j = i + 1; j < count; ++j)
        if (this.meets[i * count + j] && ++at === number) return [this.name(i), this.name(j)];
    return null;
  }

  free(): void {
    const { kernels } = this.model;
    if (this.bound?.generation === kernels.generation)
      kernels.exports.kg_unbind_bodies(this.bound.handle);
    if (this.room?.generation === kernels.generation)
      for (const part of [this.room.q, this.room.shapes, this.room.rows]) part.free();
    this.bound = this.room = null;
  }

  private name(shape: number): string {
    return this.data.names[this.body[shape]] ?? "";
  }

  private space() {
    const { kernels, nq } = this.model;
    if (this.room === null || this.room.generation !== kernels.generation)
      this.room = {
        generation: kernels.generation,
        q: new Doubles(kernels, nq),
        shapes: new Integers(kernels, 2 * ROOM),
        rows: new Doubles(kernels, ROW * ROOM),
      };
    return this.room;
  }

  private bind(): number {
    const { kernels, handle } = this.model;
    const { data } = this;
    const parts: (Doubles | Integers)[] = [];
    const doubles = (text: string): Doubles => {
      const numbers = new Float64Array(fromBase64(text));
      const part = new Doubles(kernels, numbers.length);
      part.view.set(numbers);
      parts.push(part);
      return part;
    };
    const integers = (numbers: Int32Array): Integers => {
      const part = new Integers(kernels, numbers.length);
      part.view.set(numbers);
      parts.push(part);
      return part;
    };
    const whole = (text: string): Integers => integers(new Int32Array(fromBase64(text)));
    const all = [
      whole(data.ints), doubles(data.reals), doubles(data.corners), doubles(data.planes),
      whole(data.facet_first), whole(data.facet_corners), doubles(data.heights),
      integers(this.meets), integers(this.body),
    ]; // prettier-ignore
    const bound = kernels.exports.kg_bind_bodies(
      handle,
      ...all.flatMap((part) => [part.pointer, part.count]),
    ) as number;
    for (const part of parts) part.free();
    if (bound <= 0) throw new Error(`the kernels cannot load these bodies (${bound})`);
    return bound;
  }
}
