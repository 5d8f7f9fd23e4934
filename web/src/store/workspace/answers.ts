// What the studio answers about where a mechanism can go.
import type { VariableData } from "../../wire/messages.ts";

export interface RangeData {
  name: string;
  quantity: VariableData["quantity"];
  lower: number;
  upper: number;
  /** Values on a grid; 0 where poses are spread. */
  count: number;
}

export interface CloudPlan {
  frames: string[];
  ranges: RangeData[];
  /** Joints on the way that have no range: balls, a free base. */
  held: string[];
  poses: number;
  points: number;
  /** Degrees per value; null where poses are spread. */
  factor: number | null;
  layer: string;
  palettes: Record<PaletteName, [number, number, number][]>;
}

export type PaletteName = "safe" | "paper";

export interface CloudResult extends CloudPlan {
  /** Time the poses took [s]; not known while they are tried. */
  seconds?: number;
  /** Points that were sent. */
  shown: number;
  /** Lowest and highest x, y, z of each frame [m]. */
  bounds: [Place, Place][];
  /** Least and largest value of the layer. */
  ends: [number, number] | null;
}

export type Place = [number, number, number];

export interface MeasureData {
  value: number;
  error: number;
  dimension: number;
  unit: string;
  cell: number;
}

export type ZoneKind = "inputs" | "place" | "turn";

export interface ZoneMode {
  name: string;
  points: number;
  measure: MeasureData;
}

export interface ZoneResult {
  frame: string;
  kind: ZoneKind;
  method: "triangles" | "solver";
  inputs: string[];
  held: Record<string, number>;
  tried: number;
  points: number;
  bounds: [Place, Place] | null;
  measure: MeasureData;
  modes: ZoneMode[];
  /** What the points are coloured by; null: by mode. */
  layer: string | null;
  /** Least and largest value of the layer. */
  ends: [number, number] | null;
  /** [rad] or [m] */
  step: number;
  seconds: number;
}

/** What is asked of a tree. */
export interface CloudSettings {
  /** Null: what suits the mechanism. */
  how: "grid" | "spread" | null;
  /** Degrees per value; null: what suits. */
  factor: number | null;
  count: number | null;
  /** Null: all links on the way to the frame. */
  frames: string[] | null;
  /** Only those that are not as the file says [rad, m]. */
  ranges: Record<string, [number, number]>;
  layer: string;
}

/** Joints whose range ends before it begins. */
export const reversedRanges = ({ ranges }: CloudSettings): string[] =>
  Object.keys(ranges).filter((name) => ranges[name][0] > ranges[name][1]);

/** What is asked of a mechanism with loops. */
export interface ZoneSettings {
  kind: ZoneKind | null;
  step: number | null;
  /** Whether other assembly modes are searched for, where they are not known anyway. */
  all: boolean;
}

export const CLOUD_DEFAULTS: CloudSettings = {
  how: null, factor: null, count: null, frames: null, ranges: {}, layer: "link",
}; // prettier-ignore
export const ZONE_DEFAULTS: ZoneSettings = { kind: null, step: null, all: false };

/** Cells of a body, as bits: x slowest. */
export interface CellData {
  first: number[];
  shape: number[];
  /** [m] */
  cell: number;
  outside: number;
  origin: number[];
}

export interface BodyAnswer extends CellData {
  /** Directions in the world of the cells' axes: two in a plane, else three. */
  axes: Place[];
  /** Where the plane lies [m]. */
  lift: Place;
  measure: MeasureData;
  pieces: number;
  voids: number;
  tunnels: number;
  /** Poses that were tried. */
  counted: number;
  seconds: number;
  comparison?: { both: number; only_first: number; only_second: number; overlap: number };
}
