// What is held: grabs that come and go, pins that stay; all of them one call of the solver.
import { Dragger, type HandleSpec, type SolveReport, type Target } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import type { SolveOptions } from "../../kernel/solve.ts";
import type { Grab } from "../types.ts";

/** Reports a release to the studio. */
export type Released = (grab: Held, mode: "keep" | "spring" | undefined) => void;

/** Options that may change while something is held. */
const KEYS = ["dt", "limits", "avoid"] as const;

export class Held implements Grab {
  active = true;
  constructor(
    readonly spec: HandleSpec,
    private readonly moved: (grab: Held, target: Target) => void,
    private readonly released: Released,
  ) {}

  move(target: Target): void {
    if (!this.active) return;
    Object.assign(this.spec, target);
    this.moved(this, target);
  }

  release(mode?: "keep" | "spring"): void {
    if (!this.active) return;
    this.active = false;
    this.released(this, mode);
  }
}

export class Holding {
  readonly grabs: Held[] = [];
  readonly pins: HandleSpec[] = [];
  /** Whether a solve could change something. */
  dirty = false;

  private dragger: Dragger | null = null;
  private options: SolveOptions = {};

  /** All that is asked at present: grabs, then pins. */
  get handles(): HandleSpec[] {
    return [...this.grabs.map((grab) => grab.spec), ...this.pins];
  }

  add(grab: Held): void {
    this.grabs.push(grab);
    this.changed();
  }

  remove(grab: Held): void {
    const at = this.grabs.indexOf(grab);
    if (at >= 0) this.grabs.splice(at, 1);
    this.changed();
  }

  move(grab: Held, target: Target): void {
    this.dragger?.move(this.grabs.indexOf(grab), target);
    this.dirty = true;
  }

  setPins(pins: readonly HandleSpec[]): void {
    this.pins.splice(0, this.pins.length, ...pins);
    this.changed();
  }

  /** Forgets the solver's arrays: the set of handles, the model or its size has changed. */
  changed(): void {
    this.dragger?.free();
    this.dragger = null;
    this.dirty = this.grabs.length > 0;
  }

  /** One tick for all handles together, q in place. */
  tick(model: PageModel, q: Float64Array, options: SolveOptions): SolveReport {
    if (this.dragger === null || this.dragger.model !== model) {
      this.dragger?.free();
      this.dragger = new Dragger(model, this.handles, options);
    } else if (KEYS.some((key) => options[key] !== this.options[key]))
      this.dragger.setOptions(options);
    this.options = options;
    const report = this.dragger.tick(q);
    this.dirty = report.outcome === "moving";
    return report;
  }
}
