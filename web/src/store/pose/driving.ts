// Driving one joint variable: loops closed by the others, motors held where that is possible.
import { type HandleSpec, type SolveReport, stuckReport } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import {
  general,
  type HeldLimit,
  heldLimits,
  limitWords,
  variableUnit,
} from "../../kernel/reasons.ts";
import { SHUT } from "../../kernel/tables/tolerances.ts";
import type { JointData } from "../../wire/messages.ts";
import { closeNear } from "../motion/timed-path.ts";

export interface Driven {
  report: SolveReport;
  words: string;
  limits: HeldLimit[];
  /** The value it has now [rad or m]. */
  value: number;
  /** Motors that had to move too. */
  gaveWay: string[];
}

export interface DriveOptions {
  pins?: readonly HandleSpec[];
  /** Whether joint limits are kept; they are unless this is false. */
  limits?: boolean;
  /** How values are shown in words; by default degrees and millimetres. */
  show?: (value: number) => string;
}

/** The variable moves by at most this before the loops are closed again [rad, sizes]. */
const STEP = 0.1;
/** Newton steps for closing after one step of the variable: more would not be near any more. */
const CLOSING = 20;
/** The nearest value is found this exactly [rad, sizes]. */
const FINEST = 1e-6;
/** A motor that moved by more had to move [rad, sizes]. */
const GAVE_WAY = 1e-6;

/** Whether a slider can move this variable: quaternions have none. */
export function isDrivable(joint: JointData, variable: number): boolean {
  return joint.nq === joint.nv && variable >= 0 && variable < joint.nv;
}

/** Brings a variable to a value, or as near as it gets; q in place, loops closed on the way. */
export function driveVariable(
  model: PageModel,
  q: Float64Array,
  jointIndex: number,
  variable: number,
  value: number,
  options: DriveOptions = {},
): Driven {
  const joint = model.data.joints[jointIndex];
  if (!isDrivable(joint, variable)) throw new Error(`joint '${joint.name}' has no such variable`);
  if (!Number.isFinite(value)) throw new Error(`joint '${joint.name}' cannot go to ${value}`);
  const at = joint.q + variable;
  const v = joint.v + variable;
  const isAngle = joint.variables[variable]?.quantity !== "length";
  const pins = options.pins ?? [];
  const start = q.slice();

  const keep = options.limits !== false;
  const wanted = keep ? Math.min(model.upper[v], Math.max(model.lower[v], value)) : value;
  const report = { ...stuckReport(model.nv), outcome: "reached" as SolveReport["outcome"] };
  if (wanted !== value) report.held[v] = value > wanted ? 1 : -1;

  if (model.counts.loop === 0 && pins.length === 0) q[at] = wanted;
  else report.iterations = approach(model, q, at, v, wanted, isAngle ? 1 : model.size, pins, keep);
  report.gap = model.loopGap(q);

  const here = q[at];
  const isThere = Math.abs(here - wanted) <= SHUT * (isAngle ? 1 : model.size);
  const limits = heldLimits(model, report.held);
  if (!isThere || limits.length > 0) report.outcome = "nearest";
  const gaveWay = isThere ? motorsMoved(model, start, q, v) : [];
  const show =
    options.show ??
    ((x: number): string =>
      isAngle ? `${general((x * 180) / Math.PI, 4)}°` : `${general(x * 1000, 4)} mm`);
  let words = "reached";
  if (!isThere)
    words =
      `joint '${joint.name}' cannot go to ${show(wanted)}: the ${pins.length ? "loops and pins" : "loops"} ` +
      `stop it at ${show(here)}, ${show(Math.abs(wanted - here))} away`;
  else if (limits.length > 0)
    words = `held by ${limits.map((one) => limitWords(one, one.v === v ? show : undefined)).join(", ")}`;
  else if (gaveWay.length > 0) words = `reached; ${gaveWay.join(", ")} had to move`;
  return { report, words, limits, value: here, gaveWay };
}

/** Steps towards the value, shorter ones where the loops do not close; returns how many. */
function approach(
  model: PageModel,
  q: Float64Array,
  at: number,
  v: number,
  wanted: number,
  scale: number,
  pins: readonly HandleSpec[],
  limits: boolean,
): number {
  const from = q[at];
  const way = wanted - from;
  if (way === 0) return 0;
  const alone = new Int32Array(model.nv);
  alone[v] = 1;
  const withMotors = motorFlags(model);
  withMotors[v] = 1;
  const longest = Math.min(1, (STEP * scale) / Math.abs(way));
  const finest = (FINEST * scale) / Math.abs(way);
  let share = 0;
  let step = longest;
  let count = 0;
  while (share < 1 && count < 2000) {
    count += 1;
    const next = Math.min(1, share + step);
    const moved = [withMotors, alone].some((locked) => {
      const trial = q.slice();
      trial[at] = from + next * way;
      if (!closeNear(model, trial, { locked, pins, limits, iterations: CLOSING })) return false;
      q.set(trial);
      return true;
    });
    if (moved) {
      share = next;
      step = Math.min(longest, 2 * step);
    } else {
      step /= 4;
      if (step < finest) break;
    }
  }
  return count;
}

/** Per v: 1 where a motor is. */
export function motorFlags(model: PageModel): Int32Array {
  const flags = new Int32Array(model.nv);
  for (const joint of model.data.joints)
    joint.variables.forEach((one, k) => {
      if (one.motor) flags[joint.v + k] = 1;
    });
  return flags;
}

/** Names of joints whose motors stand elsewhere than before, but for one degree of freedom. */
export function motorsMoved(
  model: PageModel,
  before: Float64Array,
  after: Float64Array,
  except = -1,
): string[] {
  const moved = model.difference(before, after);
  const motors = motorFlags(model);
  return model.data.joints
    .filter((joint) => {
      for (let v = joint.v; v < joint.v + joint.nv; ++v)
        if (
          v !== except &&
          motors[v] &&
          Math.abs(moved[v]) >
            GAVE_WAY * (variableUnit(joint.type, v - joint.v) === "m" ? model.size : 1)
        )
          return true;
      return false;
    })
    .map((joint) => joint.name);
}
