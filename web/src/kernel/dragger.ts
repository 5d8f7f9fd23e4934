// Dragging: a mechanism held by handles; set targets, tick, read q.
import { KernelTrap } from "./kernels.ts";
import type { PageModel } from "./page-model.ts";
import { type HandleSpec, type SolveReport, stuckReport, type Target } from "./report.ts";
import { Solve, type SolveOptions } from "./solve.ts";

export { stuckReport } from "./report.ts";
export type { HandleSpec, Outcome, Quat, SolveReport, Target, Vec3 } from "./report.ts";
export type { SolveOptions } from "./solve.ts";

export class Dragger {
  /** How often the kernels had to be started again under this dragger. */
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

  /** Moves q in place towards the targets once; what is stuck, or traps, stays where it was. */
  tick(q: Float64Array): SolveReport {
    const before = q.slice();
    try {
      const report = this.solve.run(q);
      if (report.outcome === "stuck") q.set(before);
      return report;
    } catch (error) {
      if (!(error instanceof KernelTrap)) throw error;
      this.traps += 1;
      return stuckReport(this.model.nv);
    }
  }

  /** Gives a handle a new target; values that are not given stay unchanged. */
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
