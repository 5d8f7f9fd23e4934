// A model in the page: its two blocks in the kernels' memory and every question about it.
import type { ModelData } from "../wire/messages.ts";
import { KernelTrap, type Kernels } from "./kernels.ts";
import { type Counts, type Part, type RealPart, readCounts, realParts } from "./tables/layout.ts";
import { Doubles, fromBase64, Integers } from "./memory.ts";
import type { HandleSpec, SolveReport, Vec3 } from "./report.ts";
import { closingOptions, runOrStuck, Solve } from "./solve.ts";

export interface CloseOptions {
  /** Per v: 1 holds the variable. */
  locked?: Int32Array | null;
  /** Pins to keep besides the loops. */
  pins?: readonly HandleSpec[];
  /** Whether joint limits are kept; they are unless this is false. */
  limits?: boolean;
  iterations?: number;
}

export class PageModel {
  readonly counts: Counts;
  readonly nq: number;
  readonly nv: number;
  readonly linkCount: number;
  readonly siteCount: number;
  /** Names of all sites: links, then frames. */
  readonly siteNames: readonly string[];
  data: ModelData;

  private readonly parts: Record<RealPart, Part>;
  private readonly intBlock: Int32Array;
  /** The float block as it is now, to begin again from when the kernels had to start again. */
  private realBlock: Float64Array;
  private bound: Bound | null = null;
  private lengthScale: number | null = null;

  constructor(
    readonly kernels: Kernels,
    data: ModelData,
  ) {
    this.data = data;
    this.intBlock = new Int32Array(fromBase64(data.ints));
    this.realBlock = new Float64Array(fromBase64(data.reals));
    this.counts = readCounts(this.intBlock);
    this.parts = realParts(this.counts);
    this.nq = this.counts.nq;
    this.nv = this.counts.nv;
    this.linkCount = this.counts.link;
    this.siteCount = this.counts.link + this.counts.frame;
    this.siteNames = [...data.links, ...data.frames.map((frame) => frame.name)];
    this.room();
  }

  // The model's own numbers. Views: read them at once, memory that grows detaches them.

  get reals(): Float64Array {
    return this.room().reals.view;
  }
  get parameters(): Float64Array {
    return this.part("parameters");
  }
  get lower(): Float64Array {
    return this.part("lower");
  }
  get upper(): Float64Array {
    return this.part("upper");
  }
  get speed(): Float64Array {
    return this.part("speed");
  }
  /** Largest torques and forces of motors [N m, N], infinite where none is given. */
  get effort(): Float64Array {
    return this.part("effort");
  }
  /** Placed frames: rotation by rows, translation [m]; 12 numbers each. */
  get transforms(): Float64Array {
    return this.part("transforms");
  }
  part(name: RealPart): Float64Array {
    return this.reals.subarray(...this.parts[name]);
  }

  /** The mechanism's own size [m]: the mean reach of its placed frames, 1 if it has none. */
  get size(): number {
    if (this.lengthScale === null) {
      const transforms = this.transforms;
      let sum = 0;
      let count = 0;
      for (let at = 9; at < transforms.length; at += 12) {
        const reach =
          Math.abs(transforms[at]) + Math.abs(transforms[at + 1]) + Math.abs(transforms[at + 2]);
        if (reach > 0) {
          sum += reach;
          count += 1;
        }
      }
      this.lengthScale = count > 0 ? sum / count : 1;
    }
    return this.lengthScale;
  }

  /** A site by name; frames win where a link has the same name. -1 if there is none. */
  site(name: string): number {
    return this.siteNames.lastIndexOf(name);
  }

  /** The link that a site is on. */
  siteLink(site: number): number {
    return site < this.linkCount ? site : this.data.frames[site - this.linkCount].link;
  }

  /** Whether a sweep of all joints would open loops. */
  get needsZone(): boolean {
    return this.data.loops.length > 0;
  }

  /** Per v: 1 where a motor drives the variable. */
  get motors(): Int32Array {
    const flags = new Int32Array(this.nv);
    for (const { v, variables } of this.data.joints)
      variables.forEach(({ motor }, k) => (flags[v + k] = Number(motor)));
    return flags;
  }

  /** The file's starting pose. */
  start(): Float64Array {
    return Float64Array.from(this.data.start);
  }

  // Numbers that the user changes: false means refused, and that nothing has changed

  setParameter(index: number, value: number): boolean {
    return this.set("kg_set_parameter", index, value);
  }
  setNumber(index: number, value: number): boolean {
    return this.set("kg_set_number", index, value);
  }

  /** Takes over the numbers of a model of the same structure. */
  adopt(data: ModelData): void {
    this.data = data;
    this.setReals(new Float64Array(fromBase64(data.reals)));
  }

  /** Takes over shapes that only the studio can make. */
  dress(shapes: Pick<ModelData, "link_shapes" | "drawn">): void {
    this.data = { ...this.data, ...shapes };
  }

  /** Takes over a whole float block, transforms included. */
  setReals(reals: Float64Array): void {
    if (reals.length !== this.realBlock.length)
      throw new Error("these numbers belong to another model");
    this.realBlock = reals;
    this.reals.set(reals);
    this.lengthScale = null;
  }

  // Kinematics

  /** Poses of all sites: 7 numbers each, quaternion wxyz and place [m]. */
  forward(q: Float64Array, out = new Float64Array(7 * this.siteCount)): Float64Array {
    return this.fill("kg_forward_poses", q, out, "poses");
  }

  /** Poses of both ends of each cut joint: 14 numbers per loop. */
  loopPoses(q: Float64Array): Float64Array {
    return this.fill("kg_loop_poses", q, new Float64Array(14 * this.counts.loop), "wide");
  }

  /** How far the loops are open: place [m] and turn [rad] in 6 numbers per loop. */
  loopResidual(q: Float64Array): Float64Array {
    return this.fill("kg_loop_residual", q, new Float64Array(6 * this.counts.loop), "wide");
  }

  /** Derivative of the residual, (6 · loops) × nv row by row. */
  loopJacobian(q: Float64Array): Float64Array {
    const out = new Float64Array(6 * this.counts.loop * this.nv);
    return this.fill("kg_loop_jacobian", q, out, "wide");
  }

  /** The widest gap of any loop [m; angles as sizes of the mechanism]. */
  loopGap(q: Float64Array): number {
    const residual = this.loopResidual(q);
    let widest = 0;
    for (let at = 0; at < residual.length; at += 6) {
      const place = Math.hypot(residual[at], residual[at + 1], residual[at + 2]);
      const turn = Math.hypot(residual[at + 3], residual[at + 4], residual[at + 5]);
      widest = Math.max(widest, place, turn * this.size);
    }
    return widest;
  }

  /** Jacobian of a point given in the site's frame, 6 × nv row by row: linear, then angular. */
  jacobian(q: Float64Array, site: number, point: Vec3 = [0, 0, 0]): Float64Array {
    return this.ask((room, exports) => {
      room.q.view.set(q);
      room.point.view.set(point);
      const jacobian = room.jacobian;
      this.check(
        exports.kg_site_jacobian(
          room.handle, room.q.pointer, this.nq, site, room.point.pointer, 3, -1,
          room.pose.pointer, 7, jacobian.pointer, jacobian.count,
        ),
      ); // prettier-ignore
      return jacobian.view.slice();
    });
  }

  /** Twists of all links at their origins in world axes when the joints move with v, 6 each. */
  linkTwists(q: Float64Array, v: Float64Array): Float64Array {
    return this.ask((room, exports) => {
      room.q.view.set(q);
      room.v.view.set(v);
      const count = 6 * this.linkCount;
      const out = room.space(count);
      this.check(
        exports.kg_link_twists(
          room.handle, room.q.pointer, this.nq, room.v.pointer, this.nv, out.pointer, count,
        ),
      ); // prettier-ignore
      return out.view.slice(0, count);
    });
  }

  /** The configuration q moved by the tangent vector v. */
  integrate(q: Float64Array, v: Float64Array): Float64Array {
    return this.ask((room, exports) => {
      room.q.view.set(q);
      room.v.view.set(v);
      this.check(
        exports.kg_integrate(
          room.handle, room.q.pointer, this.nq, room.v.pointer, this.nv, room.q1.pointer, this.nq,
        ),
      ); // prettier-ignore
      return room.q1.view.slice();
    });
  }

  /** The tangent vector from q0 to q1. */
  difference(q0: Float64Array, q1: Float64Array): Float64Array {
    return this.ask((room, exports) => {
      room.q.view.set(q0);
      room.q1.view.set(q1);
      this.check(
        exports.kg_difference(
          room.handle, room.q.pointer, this.nq, room.q1.pointer, this.nq, room.v.pointer, this.nv,
        ),
      ); // prettier-ignore
      return room.v.view.slice();
    });
  }

  /** Closes the loops (and pins) near q by the shortest move, in place; stuck leaves q as it was. */
  close(q: Float64Array, options: CloseOptions = {}): SolveReport {
    const solve = new Solve(this, options.pins ?? [], closingOptions(this, options));
    try {
      const before = q.slice();
      const report = runOrStuck(solve, q, this.nv);
      if (report.outcome === "stuck") q.set(before);
      return report;
    } finally {
      solve.free();
    }
  }

  /** The handle of the bound model, for the kernels' own functions. */
  get handle(): number {
    return this.room().handle;
  }

  /** Runs a call on the kernels with arrays passed in and out; see `Kernels.guard` for traps. */
  run<T>(work: (room: Bound, exports: Kernels["exports"]) => T): T {
    const room = this.room();
    return this.kernels.guard(() => work(room, this.kernels.exports));
  }

  /** The same for what changes nothing: after a trap it is tried once more. */
  private ask<T>(work: (room: Bound, exports: Kernels["exports"]) => T): T {
    try {
      return this.run(work);
    } catch (error) {
      if (!(error instanceof KernelTrap)) throw error;
      return this.run(work);
    }
  }

  check(status: number | undefined): void {
    if (status !== 0) throw new Error(`the kernels rejected a call (${status})`);
  }

  /** Gives the memory back; the model is of no use afterwards. */
  free(): void {
    if (this.bound !== null && this.bound.generation === this.kernels.generation) this.bound.free();
    this.bound = null;
  }

  private set(name: "kg_set_parameter" | "kg_set_number", index: number, value: number): boolean {
    if (!Number.isFinite(value)) return false;
    try {
      const status = this.run((room, exports) => exports[name](room.handle, index, value));
      if (status !== 0) return false;
    } catch (error) {
      if (error instanceof KernelTrap) return false;
      throw error;
    }
    this.realBlock = this.reals.slice();
    this.lengthScale = null;
    return true;
  }

  private fill(
    name: `kg_${string}`,
    q: Float64Array,
    out: Float64Array,
    where: "poses" | "wide",
  ): Float64Array {
    return this.ask((room, exports) => {
      const space = where === "poses" ? room.poses : room.space(out.length);
      room.q.view.set(q);
      this.check(exports[name](room.handle, room.q.pointer, this.nq, space.pointer, out.length));
      out.set(out.length === space.count ? space.view : space.view.subarray(0, out.length));
      return out;
    });
  }

  /** The bound model; bound again when the kernels were started again since. */
  private room(): Bound {
    if (this.bound === null || this.bound.generation !== this.kernels.generation)
      this.bound = new Bound(this.kernels, this.intBlock, this.realBlock, this.counts);
    return this.bound;
  }
}

/** A model's blocks and its working arrays in the kernels' memory. */
class Bound {
  readonly generation: number;
  readonly handle: number;
  readonly ints: Integers;
  readonly reals: Doubles;
  readonly q: Doubles;
  readonly q1: Doubles;
  readonly v: Doubles;
  readonly point: Doubles;
  readonly pose: Doubles;
  readonly poses: Doubles;
  readonly jacobian: Doubles;
  private wide: Doubles;

  constructor(
    private readonly kernels: Kernels,
    ints: Int32Array,
    reals: Float64Array,
    counts: Counts,
  ) {
    this.generation = kernels.generation;
    this.ints = new Integers(kernels, ints.length);
    this.reals = new Doubles(kernels, reals.length);
    this.q = new Doubles(kernels, counts.nq);
    this.q1 = new Doubles(kernels, counts.nq);
    this.v = new Doubles(kernels, counts.nv);
    this.point = new Doubles(kernels, 3);
    this.pose = new Doubles(kernels, 7);
    this.poses = new Doubles(kernels, 7 * (counts.link + counts.frame));
    this.jacobian = new Doubles(kernels, 6 * counts.nv);
    this.wide = new Doubles(kernels, Math.max(6 * counts.link, 14 * counts.loop));
    this.ints.view.set(ints);
    this.reals.view.set(reals);
    const { exports } = kernels;
    const handle = exports.kg_bind(
      this.ints.pointer, this.ints.count, this.reals.pointer, this.reals.count,
    ) as number; // prettier-ignore
    if (handle <= 0) throw new Error(`the kernels cannot load this model (${handle})`);
    this.handle = handle;
  }

  /** Room for so many numbers, the same at each call. */
  space(count: number): Doubles {
    if (this.wide.count < count) {
      this.wide.free();
      this.wide = new Doubles(this.kernels, count);
    }
    return this.wide;
  }

  free(): void {
    this.kernels.exports.kg_unbind(this.handle);
    for (const room of [
      this.ints, this.reals, this.q, this.q1, this.v, this.point, this.pose, this.poses,
      this.jacobian, this.wide,
    ]) room.free(); // prettier-ignore
  }
}
