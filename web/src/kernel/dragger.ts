// Dragging: a mechanism held by handles; set targets, tick, read q.
import { KernelTrap } from "./kernels.ts";
import type { PageModel } from "./page-model.ts";
import type { HandleSpec, SolveReport, Target } from "./report.ts";
import { Solve, type SolveOptions } from "./solve.ts";

export type { HandleSpec, Outcome, Quat, SolveReport, Target, Vec3 } from "./report.ts";
export type { SolveOptions } from "./solve.ts";

export class Dragger {
  /** How often the kernels had to be started anew under this dragger. */
  traps = 0;
  private readonly solve: Solve;

  constructor(
    readonly model: PageModel,
    handles: readonly HandleSpec[],
    options: SolveOptions = {},
  ) {
    this.solve = new Solve(
      model,
      handles.map((handle) => ({ ...handle })),
      options,
    );
  }

  get handles(): readonly HandleSpec[] {
    return this.solve.handles;
  }

  /** Moves q in place towards the targets once. A trap leaves q where it was, as stuck. */
  tick(q: Float64Array): SolveReport {
    try {
      return this.solve.run(q);
    } catch (error) {
      if (!(error instanceof KernelTrap)) throw error;
      this.traps += 1;
      return stuckReport(this.model.nv);
    }
  }

  /** Gives a handle a new target; what is not given stays. */
  move(handle: number, target: Target): void {
    this.solve.move(handle, target);
  }

  setOptions(options: SolveOptions): void {
    this.solve.setOptions(options);
  }

  /** Gives its memory back. */
  free(): void {
    this.solve.free();
  }
}

/** The answer where there is none. */
export function stuckReport(nv: number): SolveReport {
  return {
    outcome: "stuck",
    iterations: 0,
    freedoms: 0,
    redundant: 0,
    gap: 0,
    pinError: 0,
    handleError: 0,
    taskPivot: 0,
    loopPivot: 0,
    held: new Int32Array(nv),
  };
}
