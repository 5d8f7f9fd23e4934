// Why a mechanism stands where it stands, in the words of src/kinegen/kinematics/solving/reasons.py.
import { traitsOf } from "./tables/joint-types.ts";
import type { PageModel } from "./page-model.ts";
import type { HandleSpec, SolveReport } from "./report.ts";
import { applyPose, rotate, rotationVector } from "./spatial.ts";
import { SHUT } from "./tables/tolerances.ts";

export interface HandleResidual {
  /** Name of the site. */
  frame: string;
  /** [m] */
  distance: number;
  /** [rad] */
  angle: number;
}

export interface HeldLimit {
  joint: string;
  side: "lower" | "upper";
  /** The limit [rad or m]. */
  value: number;
  unit: "rad" | "m";
  /** Index of the variable in v. */
  v: number;
}

/** Distance and angle that each handle lacks; poses as `PageModel.forward` gives them. */
export function residuals(
  model: PageModel,
  poses: Float64Array,
  handles: readonly HandleSpec[],
): HandleResidual[] {
  return handles.map((handle) => {
    const pose = poses.subarray(7 * handle.site, 7 * handle.site + 7);
    let distance = 0;
    let angle = 0;
    if (handle.kind !== "rotation" && handle.position) {
      const at = applyPose(pose, handle.point ?? [0, 0, 0]);
      const to = handle.position;
      distance = Math.hypot(at[0] - to[0], at[1] - to[1], at[2] - to[2]);
    }
    if ((handle.kind === "pose" || handle.kind === "rotation") && handle.quat) {
      angle = Math.hypot(...rotationVector(pose, handle.quat));
    } else if (handle.kind === "direction" && handle.direction) {
      const axis = rotate(pose, handle.axis ?? [0, 0, 1]);
      const to = handle.direction;
      const dot = axis[0] * to[0] + axis[1] * to[1] + axis[2] * to[2];
      angle = Math.acos(Math.min(1, Math.max(-1, dot / (Math.hypot(...axis) * Math.hypot(...to)))));
    }
    return { frame: model.siteNames[handle.site], distance, angle };
  });
}

/** The limits that held joints back, from the solver's flags per variable. */
export function heldLimits(model: PageModel, held: Int32Array): HeldLimit[] {
  const found: HeldLimit[] = [];
  const { lower, upper } = model;
  for (const joint of model.data.joints)
    for (let k = 0; k < joint.nv; ++k) {
      const side = held[joint.v + k];
      if (side === 0) continue;
      found.push({
        joint: joint.name,
        side: side > 0 ? "upper" : "lower",
        value: (side > 0 ? upper : lower)[joint.v + k],
        unit: variableUnit(joint.type, k),
        v: joint.v + k,
      });
    }
  return found;
}

/** Unit of a joint's variable; spherical and free joints have no named variables. */
export function variableUnit(type: string, index: number): "rad" | "m" {
  const isLength = traitsOf(type).lengths[index];
  return isLength ? "m" : "rad";
}

/** One sentence: reached, or what stands in the way and by how much; `size` is the model's [m]. */
export function reason(
  report: SolveReport,
  lacks: readonly HandleResidual[],
  held: readonly HeldLimit[],
  size: number,
): string {
  if (report.outcome === "reached") return "reached";
  if (report.outcome === "stuck") {
    if (report.pinError > SHUT * size)
      return (
        `the pins cannot all be kept (they are missed by ${lengthWords(report.pinError)}): they ` +
        "contradict each other, the loops or the limits"
      );
    return (
      `the loops cannot be closed from here (open by ${lengthWords(report.gap)}); ` +
      "the last closed pose is kept"
    );
  }
  const missing = lacks
    .filter((lack) => lack.distance > SHUT * size || lack.angle > SHUT)
    .map((lack) => lackWords(lack, SHUT * size))
    .join("; ");
  if (report.outcome !== "moving" && report.obstacle !== null)
    return `'${report.obstacle[0]}' is stopped by '${report.obstacle[1]}': ${missing}`;
  if (report.outcome === "moving") return `still moving: ${missing || "the posture is changing"}`;
  if (held.length > 0)
    return `held by ${held.map((one) => limitWords(one)).join(", ")}: ${missing}`;
  return `out of reach: ${missing}`;
}

/** A limit in the units people read. */
export function limitWords(limit: HeldLimit, show?: (value: number) => string): string {
  const number =
    show?.(limit.value) ??
    (limit.unit === "rad"
      ? `${general(degrees(limit.value), 4)}°`
      : `${general(limit.value, 4)} m`);
  return `the ${limit.side} limit of joint '${limit.joint}' (${number})`;
}

export function lengthWords(metres: number): string {
  if (metres >= 10) return `${general(metres, 4)} m`;
  return metres >= 1e-4 ? `${general(metres * 1000, 4)} mm` : `${general(metres * 1e6, 4)} µm`;
}

/** A number with so many digits, as Python's format 'g' writes it. */
export function general(value: number, digits: number): string {
  if (value === 0 || !Number.isFinite(value))
    return Number.isNaN(value) ? "nan" : value === 0 ? "0" : value > 0 ? "inf" : "-inf";
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  const trimmed = (text: string): string =>
    text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  if (exponent >= -4 && exponent < digits) return trimmed(value.toFixed(digits - 1 - exponent));
  const sign = exponent < 0 ? "-" : "+";
  return `${trimmed(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function lackWords(lack: HandleResidual, slight: number): string {
  const parts: string[] = [];
  if (lack.distance > slight) parts.push(lengthWords(lack.distance));
  if (lack.angle > SHUT) parts.push(`${general(degrees(lack.angle), 3)}°`);
  return `'${lack.frame}' is ${parts.join(" and ")} away`;
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

/** Words as a sentence: a capital first, a full stop last. */
export function sentence(words: string): string {
  if (!words) return "";
  const text = words[0].toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
