// What is requested from a mechanism and what the solver answers.
import { type HANDLE_KIND, OUTCOME } from "./tables/records.ts";

export type Vec3 = readonly [number, number, number] | Float64Array | number[];
/** wxyz */
export type Quat = readonly [number, number, number, number] | Float64Array | number[];

/** A grabbed or pinned point of a site, and where it should be. */
export interface HandleSpec {
  /** Link (its index) or frame (link count + its index). */
  site: number;
  kind: keyof typeof HANDLE_KIND;
  /** The grabbed point, in the site's frame [m]. */
  point?: Vec3;
  /** The axis `direction` speaks of, in the site's frame. */
  axis?: Vec3;
  /** Where the point should be in the world [m]. */
  position?: Vec3;
  /** The rotation the site should have, wxyz. */
  quat?: Quat;
  /** Where the axis should point in the world. */
  direction?: Vec3;
  /** A pin is kept exactly, like a loop; a plain handle is followed as well as possible. */
  pin?: boolean;
  weight?: number;
  rotationWeight?: number;
}

export type Target = Pick<HandleSpec, "position" | "quat" | "direction">;

/** Handles met; no nearer pose in reach; on the way; loops or pins cannot be closed. */
export type Outcome = keyof typeof OUTCOME;
export const OUTCOMES = Object.keys(OUTCOME) as readonly Outcome[];

export interface SolveReport {
  outcome: Outcome;
  iterations: number;
  /** Motions that loops, pins and limits leave. */
  dof: number;
  /** Rows of loops and pins that others imply. */
  redundant: number;
  /** Widest loop gap [m; angles as sizes of the mechanism]. */
  gap: number;
  /** What the pins lack together [m]. */
  pinError: number;
  /** What the handles lack together [m]. */
  handleError: number;
  /** Smallest over largest pivot of the handles' rows: 0 at a singularity. */
  taskPivot: number;
  /** Smallest pivot of the loops' rows: 0 where a degree of freedom is gained. */
  loopPivot: number;
  /** Two bodies of which one stops the other, where collisions are avoided. */
  obstacle: readonly [string, string] | null;
  /** Per v: -1 held by its lower limit, 1 by its upper, 0 by none. */
  held: Int32Array;
}

/** The answer where there is none. */
export function stuckReport(nv: number): SolveReport {
  return {
    outcome: "stuck",
    iterations: 0,
    dof: 0,
    redundant: 0,
    gap: 0,
    pinError: 0,
    handleError: 0,
    taskPivot: 0,
    loopPivot: 0,
    obstacle: null,
    held: new Int32Array(nv),
  };
}
