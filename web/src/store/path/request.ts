// What is requested from the studio: the curve, how it is followed, and when each point is passed.
import type { PageModel } from "../../kernel/page-model.ts";
import type { PathSpec, TimingData, ToolData } from "../../wire/messages.ts";
import type { PathCurve, Triple } from "./curves.ts";

type Quat = NonNullable<ToolData["quat"]>;

/** How the curve is followed. */
export interface PathSettings {
  /** How many points, where no step is given. */
  points: number;
  /** Or how far apart [m]. */
  step: number | null;
  /** Of the tool [m/s]. */
  speed: number;
  hold: NonNullable<ToolData["hold"]>;
  /** Sideways lean against the normal [rad]. */
  tilt: number;
  /** Where the tool's z axis points. */
  direction: Triple;
  /** Kept rotation, wxyz. */
  quat: Quat | null;
  /** Angle of the hand to the ground [rad]. */
  wrist: number;
  /** Distance from the surface [m]. */
  lift: number;
}

/** When each point is passed. */
export interface PathTiming {
  law: NonNullable<TimingData["law"]>;
  /** Whether the fastest law keeps the torques and forces of the file's motors. */
  torques: boolean;
  /** Largest speeds, accelerations and jerks of motors that turn [rad/s, rad/s², rad/s³] … */
  turn: Triple;
  /** … and that slide [m/s, m/s², m/s³]. */
  slide: Triple;
}

export const PATH_DEFAULTS: PathSettings = {
  points: 200,
  step: null,
  speed: 0.1,
  hold: "free",
  tilt: 0,
  direction: [0, 0, -1],
  quat: null,
  wrist: 0,
  lift: 0,
};
const DEGREE = Math.PI / 180;
export const TIMING: PathTiming = {
  law: "constant",
  torques: false,
  turn: [180 * DEGREE, 600 * DEGREE, 6000 * DEGREE],
  slide: [0.5, 2, 20],
};

/** What of a path is wanted. */
export function pathRequest(
  curve: PathCurve,
  settings: PathSettings,
  timing: PathTiming,
  model: PageModel | null,
  /** Where an object is now. */
  poseOf: (object: string) => ArrayLike<number> | null,
): PathSpec {
  const { hold, tilt, direction, quat, wrist } = settings;
  const poses: PathSpec["poses"] = {};
  for (const name of curve.kind === "seam" && curve.of === "objects" ? curve.objects : []) {
    const pose = poseOf(name);
    if (pose) poses[name] = [pose[0], pose[1], pose[2], pose[3], pose[4], pose[5], pose[6]];
  }
  return {
    curve,
    lift: settings.lift,
    poses,
    points: settings.points,
    step: settings.step,
    speed: settings.speed,
    tool: { hold, tilt, direction, quat, wrist },
    timing: {
      law: timing.law,
      ...(model && motorLimits(model, timing)),
      ...(model && keepsTorques(model, timing) && { efforts: "motors" }),
    },
  };
}

type Driven = Pick<PageModel, "data" | "speed" | "effort">;

/** Whether the file gives any motor a torque or force. */
export const hasTorques = ({ effort }: Pick<PageModel, "effort">): boolean =>
  effort.some(Number.isFinite);

/** Whether torques limit the time law. */
export const keepsTorques = (model: Driven, timing: PathTiming): boolean =>
  timing.law === "optimal" && timing.torques && hasTorques(model);

/** Limits of every motor by its joint; of all joints where there are no motors. */
export function motorLimits(
  model: Driven,
  timing: PathTiming,
): Record<"speeds" | "accelerations" | "jerks", Record<string, number>> {
  const found: ReturnType<typeof motorLimits> = { speeds: {}, accelerations: {}, jerks: {} };
  const joints = model.data.joints.filter((joint) => joint.nv > 0);
  const driven = joints.filter((joint) => joint.variables.some((one) => one.motor));
  for (const joint of driven.length ? driven : joints) {
    const slides = joint.variables[0]?.quantity === "length";
    const [speed, acceleration, jerk] = slides ? timing.slide : timing.turn;
    const own = model.speed[joint.v];
    found.speeds[joint.name] = Math.min(speed, own > 0 ? own : Infinity);
    // a torque says how fast a motor gets faster
    if (!(keepsTorques(model, timing) && Number.isFinite(model.effort[joint.v])))
      found.accelerations[joint.name] = acceleration;
    found.jerks[joint.name] = jerk;
  }
  return found;
}
