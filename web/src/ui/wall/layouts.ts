// Walls that many rooms have, by a few numbers: their screens' corners in the room. Pure maths.
// The room's origin is on the floor under the viewer; x is right, y ahead, z up.
import type {
  PlacementData,
  ScreenData,
  ScreenEntry,
  WallData,
  WallEntry,
} from "../../wire/messages.ts";
import { EYE_DISTANCE } from "../../wire/limits.ts";

export type LayoutKind = "one" | "row" | "corner" | "custom";
type Place = [number, number, number];

export interface LayoutSizes {
  /** Of each screen [m]. */
  width: number;
  height: number;
  /** From the floor to the lower edges [m]. */
  lower: number;
  /** From the viewer to the middle of the screens, or to the corner [m]. */
  distance: number;
  /** From the floor to the viewer's eyes [m]. */
  eyeHeight: number;
  /** Screens in a row. */
  count: 2 | 3;
  /** By which neighbours are turned towards the viewer [rad]; 0: a flat wall. */
  angle: number;
}

export const SIZES: LayoutSizes = {
  width: 1.6,
  height: 1,
  lower: 0.8,
  distance: 1.5,
  eyeHeight: 1.6,
  count: 2,
  angle: 0,
};

/** What a layout makes: the screens, and where the eyes are. */
export type Made = Pick<WallData, "screens" | "eye">;

export function layoutOf(kind: Exclude<LayoutKind, "custom">, sizes: LayoutSizes): Made {
  const eye: Place = [0, 0, sizes.eyeHeight];
  if (kind === "one") return { screens: row(["screen"], sizes, 0, sizes.lower), eye };
  if (kind === "row") {
    const names = sizes.count === 2 ? ["left", "right"] : ["left", "centre", "right"];
    return { screens: row(names, sizes, sizes.angle, sizes.lower), eye };
  }
  const walls = row(["left", "right"], sizes, Math.PI / 2, 0);
  const [left, right] = walls;
  const [a, joint, b] = [left.lower_left, left.lower_right, right.lower_right];
  const near = a.map((x, i) => clean(x + b[i] - joint[i])) as Place;
  // its upper edges are the lower edges of the walls
  const floor = { lower_left: a, lower_right: near, upper_left: joint };
  return { screens: [...walls, { name: "floor", ...floor, shows: "centre" }], eye };
}

/** Screens edge to edge from left to right, each turned against the one before. */
function row(names: string[], sizes: LayoutSizes, angle: number, lower: number): ScreenData[] {
  const { width, height, distance } = sizes;
  const corners: [number, number][] = [[0, 0]];
  names.forEach((_, i) => {
    const turn = (i - (names.length - 1) / 2) * angle;
    const [x, y] = corners[i];
    corners.push([x + width * Math.cos(turn), y - width * Math.sin(turn)]);
  });
  // the middle is straight ahead
  const half = names.length / 2;
  const [p, q] = [corners[Math.floor(half)], corners[Math.ceil(half)]];
  const [x0, y0] = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  const at = (i: number, z: number): Place =>
    [corners[i][0] - x0, corners[i][1] - y0 + distance, z].map(clean) as Place;
  return names.map((name, i) => ({
    name,
    lower_left: at(i, lower),
    lower_right: at(i + 1, lower),
    upper_left: at(i, lower + height),
    shows: "centre",
  }));
}

/** Without the last digits of sines: a tenth of a micrometre is enough for a wall. */
function clean(x: number): number {
  return Math.round(x * 1e7) / 1e7 || 0;
}

/** The section of the file: what a wall has by default is left out. */
export function entryOf(wall: Made & Partial<WallData>): WallEntry {
  const screens = wall.screens.map(({ shows, ...screen }): ScreenEntry =>
    shows === "centre" ? screen : { ...screen, shows },
  );
  const entry: WallEntry = { screens, eye: wall.eye };
  if (wall.eye_distance !== undefined && Math.abs(wall.eye_distance - EYE_DISTANCE) > 1e-9)
    entry.eye_distance = wall.eye_distance;
  return entry;
}

type Pose = WallData["at"];

/** A placement as files have it: position, then roll, pitch and yaw; what is 0 is left out. */
export function turnEntry([w, x, y, z, px, py, pz]: Pose): PlacementData {
  const rpy: Place = [
    clean(Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))),
    clean(Math.asin(Math.min(1, Math.max(-1, 2 * (w * y - z * x))))),
    clean(Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))),
  ];
  const xyz: Place = [clean(px), clean(py), clean(pz)];
  return rpy.some((one) => one !== 0) ? { xyz, rpy } : { xyz };
}

/** Where the room is, as files have it; the world's origin at full size is left out. */
export function placeEntry(at: Pose, scale: number): Pick<WallEntry, "at" | "scale"> {
  const isAtOrigin = at.every((one, i) => one === (i === 0 ? 1 : 0));
  return {
    ...(isAtOrigin ? {} : { at: turnEntry(at) }),
    ...(scale === 1 ? {} : { scale: Number(scale.toPrecision(9)) }),
  };
}

/** The fourth corner of a screen. */
export function upperRight({ lower_left: o, lower_right: a, upper_left: b }: ScreenData): Place {
  return o.map((x, i) => a[i] + b[i] - x) as Place;
}

/** Screens with another one beside the last. */
export function withNext(screens: readonly ScreenData[]): ScreenData[] {
  const last = screens[screens.length - 1];
  let n = screens.length + 1;
  while (screens.some(({ name }) => name === `screen ${n}`)) n++;
  const moved = (p: Place): Place =>
    [0, 1, 2].map((i) => p[i] + last.lower_right[i] - last.lower_left[i]) as Place;
  const { lower_left, lower_right, upper_left, shows } = last;
  const corners = [lower_left, lower_right, upper_left].map(moved);
  return [
    ...screens,
    {
      ...{ name: `screen ${n}`, shows },
      ...{ lower_left: corners[0], lower_right: corners[1], upper_left: corners[2] },
    },
  ];
}
