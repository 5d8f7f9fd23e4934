// An input that runs: a motor turned round and round, or swept to and fro between two values.
import type { PageModel } from "../../kernel/page-model.ts";
import type { JointData, VariableData } from "../../wire/messages.ts";
import { isDrivable } from "../pose/driving.ts";

export type RunMode = "turn" | "sweep";

export interface RunInput {
  joint: number;
  variable: number;
  mode: RunMode;
  /** [rad/s, m/s]; negative turns the other way. */
  speed: number;
  /** Ends of a sweep [rad, m]. */
  from: number;
  to: number;
  running: boolean;
  /** Where a sweep goes now. */
  direction: 1 | -1;
  /** Ends that the mechanism itself sets to a sweep, found on the way. */
  found: [number, number];
  /** Whole turns by which a joint without limits is on from where its ends are [rad]. */
  turns: number;
}

/** Of angles that turn, at first: ten turns a minute [rad/s]. */
const TURNING = Math.PI / 3;
/** A sweep takes so long from end to end, at first [s]. */
const SWEEPING = 3;
/** Share of a sweep at each end in which it slows down. */
const SOFT = 0.1;
/** Share of the speed that is left at the ends. */
const SLOWEST = 0.05;

/** Every variable that can be run: the motors, or all where there is no motor. */
export function runnable(model: PageModel): { joint: number; variable: number }[] {
  const all = model.data.joints.flatMap((one, joint) =>
    one.variables
      .map((data, variable) => ({ joint, variable, data }))
      .filter(({ variable }) => isDrivable(one, variable)),
  );
  const motors = all.filter(({ data }) => data.motor);
  return (motors.length ? motors : all.filter(({ joint }) => !model.data.joints[joint].is_cut)).map(
    ({ joint, variable }) => ({ joint, variable }),
  );
}

/** How a variable runs until somebody says otherwise: round and round, or between its limits. */
export function firstInput(
  model: PageModel,
  q: Float64Array,
  joint: number,
  variable: number,
): RunInput {
  const one = model.data.joints[joint];
  const isAngle = one.variables[variable].quantity === "angle";
  const [lower, upper] = limitsOf(model, one, variable);
  const here = q[one.q + variable];
  const reach = isAngle ? Math.PI / 4 : 0.25 * model.size;
  const from = Number.isFinite(lower) ? lower : Math.min(here, upper) - reach;
  const to = Number.isFinite(upper) ? upper : Math.max(here, lower) + reach;
  const turns = isAngle && !Number.isFinite(lower) && !Number.isFinite(upper);
  const usual = turns ? TURNING : Math.min(isAngle ? TURNING : Infinity, (to - from) / SWEEPING);
  return {
    ...{ joint, variable, mode: turns ? "turn" : "sweep", from, to },
    speed: Math.min(usual, model.speed[one.v + variable] || usual),
    ...{ running: false, direction: 1, found: [-Infinity, Infinity], turns: 0 },
  };
}

/** A new start of an input: nothing is found yet, and its ends are those of the present turn. */
export function beginInput(model: PageModel, q: Float64Array, input: RunInput): void {
  const joint = model.data.joints[input.joint];
  const isAngle = joint.variables[input.variable].quantity === "angle";
  const isFree = limitsOf(model, joint, input.variable).every((limit) => !Number.isFinite(limit));
  const away = q[joint.q + input.variable] - 0.5 * (input.from + input.to);
  input.turns = isAngle && isFree ? 2 * Math.PI * Math.round(away / (2 * Math.PI)) : 0;
  input.found = [-Infinity, Infinity];
}

export function limitsOf(model: PageModel, joint: JointData, variable: number): [number, number] {
  return [model.lower[joint.v + variable], model.upper[joint.v + variable]];
}

/** The ends of a sweep as they are for the mechanism. */
export function sweepEnds(input: RunInput, limits: [number, number]): [number, number] {
  const { from, to, turns } = input;
  const low = Math.max(Math.min(from, to) + turns, input.found[0], limits[0]);
  const high = Math.min(Math.max(from, to) + turns, input.found[1], limits[1]);
  return [low, high];
}

/** Its velocity at a value now [rad/s, m/s]: a sweep slows down softly towards its ends. */
export function inputSpeed(input: RunInput, value: number, limits: [number, number]): number {
  if (input.mode === "turn") return input.speed;
  const [low, high] = sweepEnds(input, limits);
  const speed = Math.abs(input.speed);
  // from outside it comes in first
  if (value < low) return speed;
  if (value > high) return -speed;
  const ramp = SOFT * (high - low);
  const share = ramp > 0 ? Math.sqrt(Math.min(value - low, high - value, ramp) / ramp) : 1;
  return input.direction * speed * Math.max(SLOWEST, share);
}

/** Its value after a time, and whether that is where it ends or turns round. */
export function inputAfter(
  input: RunInput,
  value: number,
  limits: [number, number],
  time: number,
): { value: number; isEnd: boolean } {
  const speed = inputSpeed(input, value, limits);
  const next = value + speed * time;
  const [low, high] = input.mode === "turn" ? limits : sweepEnds(input, limits);
  if (speed > 0 && value <= high && next >= high) return { value: high, isEnd: true };
  if (speed < 0 && value >= low && next <= low) return { value: low, isEnd: true };
  return { value: next, isEnd: false };
}

/** A variable's name as rows have it. */
export function inputName(joint: JointData, { name }: VariableData): string {
  return joint.variables.length > 1 ? `${joint.name} ${name}` : joint.name;
}
