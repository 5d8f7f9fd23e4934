// Words and numbers of the workspace's panel.
import type {
  BodyResult,
  CloudPlanResult,
  MeasureData,
  ModelData,
  ZoneResult,
} from "../../../wire/messages.ts";
import { minus, withUnit, type LengthUnit } from "../../quantities/format.ts";

/** A whole number with its thousands apart. */
export const many = (count: number): string => Math.round(count).toLocaleString("en-US");

export const counted = (count: number, one: string, more = `${one}s`): string =>
  `${many(count)} ${count === 1 ? one : more}`;

/** What a run would try: '12 · 6 · 6 · 12 = 5,184 poses'. */
export function planWords({ ranges, poses, factor }: CloudPlanResult): string {
  if (factor === null) return `${counted(poses, "pose")}, spread evenly`;
  if (ranges.length < 2) return counted(poses, "pose");
  return `${ranges.map((one) => one.count).join(" · ")} = ${counted(poses, "pose")}`;
}

/** What was tried and how long it took: '5,184 poses · 25,920 points · 0.002 s'. */
export function cloudWords(
  { poses, points, seconds, frames }: CloudPlanResult & { seconds?: number },
  /** How much of it is there. */
  done = 1,
): string {
  const tried = Math.round(done * poses);
  const parts =
    done < 1
      ? [`${many(tried)} of ${counted(poses, "pose")}`, counted(tried * frames.length, "point")]
      : [counted(poses, "pose"), counted(points, "point")];
  if (seconds !== undefined) parts.push(tookWords(seconds));
  return parts.join(" · ");
}

/** An angle in degrees without the dust of arithmetic: '15°'. */
export const degrees = (value: number): string => `${minus(Number(value.toPrecision(4)))}°`;

/** Least and most degrees per value of a grid. */
const FACTORS = [0.1, 360] as const;

/** A Factor that was typed, in degrees; or what would be allowed. */
export function factorOf(typed: number): number | string {
  const value = Number(typed.toPrecision(9));
  const [least, most] = FACTORS;
  if (value >= least && value <= most) return value;
  return `${degrees(value)} is out of range: use ${degrees(least)} to ${degrees(most)}`;
}

const STILL: Record<string, string> = { spherical: "ball joint", free: "free base" };

/** Says of joints that turn in space that they hold still; '' where there are none. */
export function stillWords(plan: CloudPlanResult | null, joints: ModelData["joints"]): string {
  const types = new Map(joints.map((joint) => [joint.name, STILL[joint.type]]));
  const all = joints.filter((joint) => joint.type in STILL).map((joint) => joint.name);
  const names = plan?.held ?? all;
  if (!names.length) return "";
  const words = names.map((name) => `${types.get(name) ?? "joint"} '${name}'`);
  const last = words.pop()!;
  const list = words.length ? `${words.join(", ")} and ${last}` : last;
  return `${list} ${words.length ? "keep their values" : "keeps its value"}: a joint that turns in space has no range`;
}

/** A time that was short. */
export function tookWords(seconds: number): string {
  return `${seconds < 0.0995 ? seconds.toPrecision(1) : seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
}

const UNITS: Record<number, [string, number][]> = {
  1: [["m", 1], ["mm", 1e-3]],
  2: [["m²", 1], ["cm²", 1e-4], ["mm²", 1e-6]],
  3: [["m³", 1], ["dm³", 1e-3], ["cm³", 1e-6], ["mm³", 1e-9]],
}; // prettier-ignore

/** A size with its error, both in the unit that suits: '83.3 ± 9.5 dm³'. */
export function measureWords({ value, error, dimension, unit }: MeasureData): string {
  if (unit.startsWith("rad"))
    return `${value.toPrecision(3)} ${unit.replace("^3", "³").replace("^2", "²").replace("^1", "")}`;
  const units = UNITS[dimension];
  const [name, factor] = units.find(([, one]) => Math.abs(value) >= 0.95 * one) ?? units.at(-1)!;
  return `${amounts(value / factor, error / factor)} ${name}`;
}

/** A number and its error, to the two digits of the error that mean something. */
export function amounts(value: number, error: number): string {
  if (!(error > 0)) return value.toPrecision(4);
  const places = Math.max(0, Math.min(6, 1 - Math.floor(Math.log10(error))));
  return `${value.toFixed(places)} ± ${error.toFixed(places)}`;
}

/** Whether a zone has an area or volume that differs from zero by more than its error. */
export const hasSize = ({ value, error, dimension }: MeasureData): boolean =>
  dimension > 0 && value > 1.2 * error;

type BodyForm = Pick<BodyResult, "pieces" | "voids" | "tunnels" | "grid">;

/** What a body is like, besides its size. */
export function bodyWords({ pieces, voids, tunnels, grid }: BodyForm): string {
  const isFlat = grid.shape.length === 2;
  const parts = [pieces === 1 ? "in one piece" : `in ${pieces} pieces`];
  if (isFlat) parts.push(voids ? `with ${counted(voids, "hole")}` : "without holes");
  else {
    if (tunnels > 0) parts.push(`${counted(tunnels, "hole")} through it`);
    parts.push(voids > 0 ? `${counted(voids, "void")} inside` : "no voids inside");
  }
  return parts.join(", ");
}

/** How a zone was made. */
export function zoneWords(zone: ZoneResult): string {
  const swept = { inputs: zone.inputs.join(", "), place: "its position", turn: "its orientation" }[
    zone.kind
  ];
  const held = Object.entries(zone.held).map(
    ([name, angle]) => `, ${name} held at ${withUnit(angle, "angle", "mm")}`,
  );
  const method = zone.method === "triangles" ? "exact (intersections of circles)" : "by the solver";
  return `Over ${swept}${held.join("")}, ${method}`;
}

export interface LayerChoice {
  value: string;
  title: string;
  /** At the two ends of its scale. */
  ends?: [string, string];
}

/** What points can be coloured by. */
export function layerChoices(plan: CloudPlanResult | null): LayerChoice[] {
  return [
    { value: "link", title: "Link" },
    ...(plan?.ranges ?? []).map((one) => ({
      value: `joint:${one.name}`,
      title: `Joint ${one.name}`,
    })),
    { value: "manipulability", title: "Manipulability", ends: ["low", "high"] },
    { value: "limits", title: "Distance to joint limits", ends: ["nearer", "farther"] },
    { value: "singularity", title: "Distance to singular poses", ends: ["nearer", "farther"] },
    { value: "density", title: "Density", ends: ["few points", "many"] },
    { value: "dexterity", title: "Directions reached", ends: ["fewest", "most"] },
  ];
}

/** What points of a zone can be coloured by: directions reached are of trees alone. */
export function zoneLayerChoices(): LayerChoice[] {
  const [, ...others] = layerChoices(null).filter(({ value }) => value !== "dexterity");
  return [{ value: "link", title: "Assembly mode" }, ...others];
}

/** A value of a layer as people read it. */
export function layerValue(
  layer: string,
  value: number,
  plan: CloudPlanResult | null,
  length: LengthUnit,
): string {
  // prettier-ignore
  const range = plan?.ranges.find((one) => layer === `joint:${one.name}`);
  if (range) return withUnit(value, range.quantity, length);
  if (layer === "dexterity") return `${(100 * value).toFixed(0)} %`;
  if (layer === "density") return many(value);
  return value === 0 ? "0" : value.toPrecision(2);
}
