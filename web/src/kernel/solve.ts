// One call of the solver.
import type { Bodies } from "./bodies.ts";
import { type Kernels, KernelTrap } from "./kernels.ts";
import { Doubles, Integers } from "./memory.ts";
import type { CloseOptions, PageModel } from "./page-model.ts";
import {
  HANDLE_INTS,
  HANDLE_KIND,
  HANDLE_REALS,
  SOLVER_NUMBERS,
  SOLVER_REPORT,
} from "./tables/records.ts";
import {
  type HandleSpec,
  OUTCOMES,
  type SolveReport,
  stuckReport,
  type Target,
  type Vec3,
} from "./report.ts";
import { CLOSING_ITERATIONS, DRAG_ITERATIONS, DRAG_STEP } from "./tables/steps.ts";
import { CLOSED, MET } from "./tables/tolerances.ts";

export interface SolveOptions {
  iterations?: number;
  /** Time of one tick [s]; joints then stay below their motors' speeds. */
  dt?: number | null;
  /** Cost of moving each degree of freedom, nv numbers. */
  weights?: ArrayLike<number> | null;
  /** Pose to lean to where the handles leave a choice, and the share of the way per step. */
  posture?: Float64Array | null;
  postureGain?: number;
  /** Per v: 1 holds the variable. */
  locked?: Int32Array | null;
  /** Whether joint limits are kept; they are unless this is false. */
  limits?: boolean;
  /** Bodies that must not meet. */
  avoid?: Bodies | null;
}

export function closingOptions(_model: PageModel, options: CloseOptions): SolveOptions {
  return {
    iterations: options.iterations ?? CLOSING_ITERATIONS,
    locked: options.locked ?? null,
    limits: options.limits ?? true,
  };
}

/** Everything one kind of call needs, allocated once; `run` then costs microseconds. */
export class Solve {
  private room: SolveRoom;

  constructor(
    private readonly model: PageModel,
    readonly handles: readonly HandleSpec[],
    private options: SolveOptions = {},
  ) {
    this.room = this.allocate();
  }

  /** Gives a handle a new target; values that are not given stay unchanged. */
  move(handle: number, target: Target): void {
    const spec = { ...this.handles[handle], ...target };
    packTarget(spec, this.fresh().handleReals.view, HANDLE_REALS.count * handle);
    Object.assign(this.handles[handle], target);
  }

  /** Changes the options; values that are not given stay unchanged. */
  setOptions(options: SolveOptions): void {
    this.options = { ...this.options, ...options };
    this.writeOptions(this.fresh());
  }

  /** Moves q in place towards the handles, loops closed. Throws KernelTrap with q unchanged. */
  run(q: Float64Array): SolveReport {
    const room = this.fresh();
    const { model } = this;
    const avoid = this.options.avoid ?? null;
    const bodies = avoid?.handle ?? 0;
    if (q.length !== model.nq) throw new Error(`q has ${q.length} numbers, not ${model.nq}`);
    return model.run(({ handle }, exports) => {
      room.q.view.set(q);
      const status = exports.kg_solve(
        handle, room.q.pointer, room.q.count,
        room.handleInts.pointer, room.handleInts.count,
        room.handleReals.pointer, room.handleReals.count,
        room.options.pointer, room.options.count,
        room.bounds.pointer, this.options.dt ? model.nv : 0,
        room.weights.pointer, this.options.weights ? model.nv : 0,
        room.posture.pointer, this.options.posture && this.options.postureGain ? model.nq : 0,
        room.locked.pointer, this.options.locked ? model.nv : 0,
        room.held.pointer, room.held.count,
        room.report.pointer, room.report.count, bodies, avoid?.clearance ?? 0,
      ); // prettier-ignore
      model.check(status);
      q.set(room.q.view);
      const r = room.report.view;
      const size = r[SOLVER_REPORT.size];
      return {
        outcome: OUTCOMES[r[SOLVER_REPORT.outcome]] ?? "stuck",
        iterations: r[SOLVER_REPORT.iterations],
        dof: r[SOLVER_REPORT.dof],
        redundant: r[SOLVER_REPORT.redundant],
        gap: r[SOLVER_REPORT.gap] * size,
        pinError: r[SOLVER_REPORT.pin_error] * size,
        handleError: r[SOLVER_REPORT.handle_error] * size,
        taskPivot: r[SOLVER_REPORT.task_pivot],
        loopPivot: r[SOLVER_REPORT.loop_pivot],
        obstacle: avoid?.pair(r[SOLVER_REPORT.obstacle]) ?? null,
        held: room.held.view.slice(),
      };
    });
  }

  free(): void {
    if (this.room.generation === this.model.kernels.generation) this.room.free();
  }

  private allocate(): SolveRoom {
    const room = new SolveRoom(
      this.model.kernels,
      this.model.nq,
      this.model.nv,
      this.handles.length,
    );
    this.handles.forEach((spec, i) => {
      const ints = room.handleInts.view;
      const row = HANDLE_INTS.count * i;
      ints[row + HANDLE_INTS.site] = spec.site;
      ints[row + HANDLE_INTS.kind] = HANDLE_KIND[spec.kind];
      ints[row + HANDLE_INTS.pin] = spec.pin ? 1 : 0;
      const reals = room.handleReals.view;
      const at = HANDLE_REALS.count * i;
      reals.set(three(spec.point ?? [0, 0, 0], "point"), at + HANDLE_REALS.point);
      reals.set(unit(spec.axis ?? [0, 0, 1], "axis"), at + HANDLE_REALS.axis);
      reals[at + HANDLE_REALS.turn] = 1;
      packTarget(spec, reals, at);
      reals[at + HANDLE_REALS.weight] = spec.weight ?? 1;
      reals[at + HANDLE_REALS.rotation_weight] = spec.rotationWeight ?? 1;
    });
    this.writeOptions(room);
    return room;
  }

  private writeOptions(room: SolveRoom): void {
    const { model, options } = this;
    const numbers = room.options.view;
    numbers[SOLVER_NUMBERS.iterations] = options.iterations ?? DRAG_ITERATIONS;
    numbers[SOLVER_NUMBERS.max_step] = DRAG_STEP;
    numbers[SOLVER_NUMBERS.gap_tolerance] = CLOSED;
    numbers[SOLVER_NUMBERS.handle_tolerance] = MET;
    numbers[SOLVER_NUMBERS.posture_gain] = options.posture ? (options.postureGain ?? 0) : 0;
    numbers[SOLVER_NUMBERS.use_limits] = options.limits === false ? 0 : 1;
    if (options.dt) {
      const { dt } = options;
      room.bounds.view.set(model.speed.map((speed) => speed * dt));
    }
    if (options.weights) room.weights.view.set(options.weights);
    if (options.posture) room.posture.view.set(options.posture);
    if (options.locked) room.locked.view.set(options.locked);
  }

  /** The arrays; created again when the kernels have been restarted. */
  private fresh(): SolveRoom {
    if (this.room.generation !== this.model.kernels.generation) this.room = this.allocate();
    return this.room;
  }
}

/** Runs it; a trap leaves q where it was, as stuck. */
export function runOrStuck(solve: Solve, q: Float64Array, nv: number): SolveReport {
  try {
    return solve.run(q);
  } catch (error) {
    if (!(error instanceof KernelTrap)) throw error;
    return stuckReport(nv);
  }
}

class SolveRoom {
  readonly generation: number;
  readonly q: Doubles;
  readonly handleInts: Integers;
  readonly handleReals: Doubles;
  readonly options: Doubles;
  readonly bounds: Doubles;
  readonly weights: Doubles;
  readonly posture: Doubles;
  readonly locked: Integers;
  readonly held: Integers;
  readonly report: Doubles;

  constructor(kernels: Kernels, nq: number, nv: number, handles: number) {
    this.generation = kernels.generation;
    this.q = new Doubles(kernels, nq);
    this.handleInts = new Integers(kernels, HANDLE_INTS.count * handles);
    this.handleReals = new Doubles(kernels, HANDLE_REALS.count * handles);
    this.options = new Doubles(kernels, SOLVER_NUMBERS.count);
    this.bounds = new Doubles(kernels, nv);
    this.weights = new Doubles(kernels, nv);
    this.posture = new Doubles(kernels, nq);
    this.locked = new Integers(kernels, nv);
    this.held = new Integers(kernels, nv);
    this.report = new Doubles(kernels, SOLVER_REPORT.count);
    // memory is given as it was left
    for (const room of [this.handleInts, this.handleReals, this.locked, this.held])
      room.view.fill(0);
  }

  free(): void {
    for (const room of [
      this.q, this.handleInts, this.handleReals, this.options, this.bounds, this.weights,
      this.posture, this.locked, this.held, this.report,
    ]) room.free(); // prettier-ignore
  }
}

function packTarget(spec: HandleSpec, reals: Float64Array, at: number): void {
  if (spec.kind !== "rotation") {
    if (spec.position === undefined) throw new Error(`a ${spec.kind} handle needs a position`);
    reals.set(three(spec.position, "position"), at + HANDLE_REALS.position);
  }
  if (spec.kind === "pose" || spec.kind === "rotation") {
    if (spec.quat === undefined) throw new Error(`a ${spec.kind} handle needs a rotation`);
    reals.set(normalized(spec.quat, 4, "rotation"), at + HANDLE_REALS.turn);
  } else if (spec.kind === "direction") {
    if (spec.direction === undefined) throw new Error("a direction handle needs a direction");
    reals.set(unit(spec.direction, "direction"), at + HANDLE_REALS.turn);
  }
}

function three(values: Vec3, what: string): Vec3 {
  if (values.length !== 3 || !Number.isFinite(values[0] + values[1] + values[2]))
    throw new Error(`the ${what} of a handle must be 3 finite numbers`);
  return values;
}

function unit(values: Vec3, what: string): number[] {
  return normalized(three(values, what), 3, what);
}

function normalized(values: ArrayLike<number>, count: number, what: string): number[] {
  const numbers = Array.from(values);
  const length = Math.hypot(...numbers);
  if (numbers.length !== count || !Number.isFinite(length) || length < 1e-12)
    throw new Error(`the ${what} of a handle has zero length`);
  return numbers.map((number) => number / length);
}
