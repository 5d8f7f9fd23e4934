// What the user chose once and wants to find again: kept in the browser's local storage.
import { EYE_DISTANCE } from "../wire/limits.ts";

export const OVERLAYS = [
  "speeds",
  "accelerations",
  "limits",
  "ellipsoid",
  "frames",
  "traces",
  "clearance",
  "freeMotions",
  "suspects",
  "efforts",
  "reactions",
  "loads",
  "contacts",
] as const;
export type Overlay = (typeof OVERLAYS)[number];

export interface Settings {
  theme: "system" | "light" | "dark";
  renderMode: "solid" | "wireframe" | "transparent";
  showGrid: boolean;
  showFrames: boolean;
  showAxes: boolean;
  shadows: boolean;
  /** The arrow along gravity. */
  showGravity: boolean;
  overlays: readonly Overlay[];
  /** What a grab holds: the point alone, its rotation alone by turning the pointer, or both. */
  dragMode: "point" | "rotate" | "pose";
  /** What happens when a grab is let go. */
  releaseMode: "keep" | "spring";
  lengthUnit: "mm" | "m";
  angleUnit: "deg" | "rad";
  /** Whether joints keep below their motors' speeds while they are dragged. */
  limitSpeeds: boolean;
  /** Whether joint limits are kept. */
  keepLimits: boolean;
  /** Whether parts that touch are lit. */
  showCollisions: boolean;
  /** Whether drags avoid collisions. */
  avoidCollisions: boolean;
  /** Whether controllers of a headset vibrate. */
  haptics: boolean;
  /** Whether phantoms appear near singular poses. */
  phantoms: boolean;
  /** Pictures for both eyes on an ordinary screen. */
  stereo: "off" | "side" | "stacked" | "anaglyph";
  swapEyes: boolean;
  /** Whether each half of the screen holds a whole picture, squeezed. */
  squeezeHalves: boolean;
  /** [m] */
  eyeDistance: number;
  /** Of the picture as it is shown [m]. */
  screenWidth: number;
  leftWidth: number;
  rightWidth: number;
  bottomHeight: number;
  leftOpen: boolean;
  rightOpen: boolean;
  bottomOpen: boolean;
  /** The 2D view beside the spatial one, for planar mechanisms. */
  planarView: boolean;
  /** What others in a session call the user; empty: the studio gives a name. */
  personName: string;
}

export const DEFAULTS: Settings = {
  theme: "system",
  renderMode: "solid",
  showGrid: true,
  showFrames: false,
  showAxes: true,
  shadows: true,
  showGravity: true,
  overlays: [],
  dragMode: "point",
  releaseMode: "keep",
  lengthUnit: "mm",
  angleUnit: "deg",
  limitSpeeds: false,
  keepLimits: true,
  showCollisions: false,
  avoidCollisions: false,
  haptics: true,
  phantoms: true,
  stereo: "off",
  swapEyes: false,
  squeezeHalves: false,
  eyeDistance: EYE_DISTANCE,
  screenWidth: 0.5,
  leftWidth: 300,
  rightWidth: 380,
  bottomHeight: 200,
  leftOpen: true,
  rightOpen: true,
  bottomOpen: false,
  planarView: false,
  personName: "",
};

const CHOICES: { readonly [K in keyof Settings]?: readonly Settings[K][] } = {
  theme: ["system", "light", "dark"],
  renderMode: ["solid", "wireframe", "transparent"],
  dragMode: ["point", "rotate", "pose"],
  releaseMode: ["keep", "spring"],
  lengthUnit: ["mm", "m"],
  angleUnit: ["deg", "rad"],
  stereo: ["off", "side", "stacked", "anaglyph"],
};
const KEY = "kinegen.settings";

/** The part of the browser's Storage that is needed; absent in tests and in sealed-off frames. */
export type Store = Pick<Storage, "getItem" | "setItem">;

/** The browser's local storage, or null where the page may not use it. */
export function localStore(): Store | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}

/** Settings as they were left; what is missing or makes no sense is as at first. */
export function loadSettings(store: Store | null): Settings {
  let saved: unknown = null;
  try {
    saved = JSON.parse(store?.getItem(KEY) ?? "null");
  } catch {
    // an unreadable entry is as good as none
  }
  const settings = { ...DEFAULTS };
  if (typeof saved === "object" && saved !== null)
    for (const [key, value] of Object.entries(saved))
      if (isSetting(key, value)) Object.assign(settings, { [key]: value });
  return settings;
}

export function saveSettings(store: Store | null, settings: Settings): void {
  try {
    store?.setItem(KEY, JSON.stringify(settings));
  } catch {
    // a full or forbidden store: settings then last as long as the page
  }
}

function isSetting(key: string, value: unknown): boolean {
  if (!Object.hasOwn(DEFAULTS, key)) return false;
  const name = key as keyof Settings;
  if (name === "overlays")
    return Array.isArray(value) && value.every((one) => OVERLAYS.includes(one as Overlay));
  if (typeof value !== typeof DEFAULTS[name]) return false;
  if (typeof value === "number") return Number.isFinite(value) && value >= 0;
  const choices = CHOICES[name] as readonly unknown[] | undefined;
  return choices === undefined || choices.includes(value);
}
