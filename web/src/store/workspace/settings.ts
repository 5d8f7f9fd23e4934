// What is asked about where a mechanism can go, as the panel sets it, and a cloud as it is shown.
import type { CloudPlanResult, CloudResult, CloudSpec, ZoneSpec } from "../../wire/messages.ts";

export type PaletteName = keyof CloudPlanResult["palettes"];
export type Place = [number, number, number];
export type ZoneKind = NonNullable<ZoneSpec["kind"]>;

/** A cloud, complete or still growing. */
export interface Cloud extends CloudPlanResult, Omit<CloudResult, "plan" | "seconds"> {
  /** Time the poses took [s]; not known while they are tried. */
  seconds?: number;
}

/** Settings for a tree. */
export interface CloudSettings {
  /** Null: what suits the mechanism. */
  how: NonNullable<CloudSpec["how"]> | null;
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

/** Settings for a mechanism with loops. */
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
