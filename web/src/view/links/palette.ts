// Colours of the view: two themes, limb colours, and names as RAFF files write them.
// That of src/kinegen/formats/drawing/pictures/theme.py, but for platforms: on a lit floor they need more contrast.
import type { Look } from "../../shapes/index.ts";
import { roundHalfEven } from "../../shapes/vectors.ts";

/** Limb colours: the hues of Okabe and Ito (2008), safe for colour-blind eyes, made calmer. */
const BRANCHES = [
  "#4c8dc4",
  "#de8a4a",
  "#45a58d",
  "#b27fb4",
  "#d6b446",
  "#7cc3e6",
  "#c8675a",
  "#8a93a3",
];

/** Every colour of a picture that does not come from the mechanism. */
export interface Palette {
  dark: boolean;
  /** Background at the top. */
  sky: string;
  /** Background at the bottom. */
  floor: string;
  grid: string;
  ink: string;
  /** Secondary text, axes. */
  faint: string;
  outline: string;
  platform: string;
  ground: string;
  joint: string;
  motor: string;
  tool: string;
  /** Of what is chosen. */
  accent: string;
  danger: string;
  /** x, y, z of a frame. */
  axes: [string, string, string];
}

export const PALETTES: Record<"light" | "dark", Palette> = {
  light: {
    dark: false,
    sky: "#f7f9fb",
    floor: "#dce2ea",
    grid: "#9aa6b6",
    ink: "#222a35",
    faint: "#6d7786",
    outline: "#1d2633",
    platform: "#98a4b6",
    ground: "#b4bbc6",
    joint: "#56606f",
    motor: "#f0a830",
    tool: "#7d8796",
    accent: "#2a5bd7",
    danger: "#d3303a",
    axes: ["#d33f49", "#2f9e5c", "#2f6fd0"],
  },
  dark: {
    dark: true,
    sky: "#232a34",
    floor: "#11151a",
    grid: "#4a5666",
    ink: "#eef1f5",
    faint: "#98a3b3",
    outline: "#05070a",
    platform: "#d5d9e0",
    ground: "#798393",
    joint: "#5d6878",
    motor: "#f0a830",
    tool: "#9aa4b2",
    accent: "#7ba3ff",
    danger: "#ff6b6b",
    axes: ["#ff6b73", "#55c98a", "#6aa5ff"],
  },
};

/** The palette a setting stands for; 'system' asks the browser. */
export function paletteFor(theme: "system" | "light" | "dark"): Palette {
  if (theme !== "system") return PALETTES[theme];
  const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false;
  return PALETTES[dark ? "dark" : "light"];
}

/** The colour of a primitive before any light falls on it. */
export function fillOf(look: Look, palette: Palette): string {
  const given = look.color === null ? null : fileColor(look.color);
  if (given !== null) return given;
  switch (look.role) {
    case "ground":
      return palette.ground;
    case "joint":
      return palette.joint;
    case "motor":
      return palette.motor;
    case "tool":
      return palette.tool;
    case "bar": {
      if (look.branch === 0) return palette.platform;
      const color = BRANCHES[(look.branch - 1) % BRANCHES.length];
      return look.tone === 0 ? mixed(color, "#ffffff", 0.3) : color;
    }
  }
}

/** The colour of a branch of a singular pose: phantom, name and button have the same. */
export function branchColor(branch: number, palette: Palette): string {
  return BEYOND[palette.dark ? "dark" : "light"][branch % BEYOND.light.length];
}

const BEYOND = {
  light: ["#2a5bd7", "#0f8a6a", "#8a4fc4", "#b5651d"],
  dark: ["#7ba3ff", "#4fd1a5", "#c79bf2", "#f0a860"],
};

/** A colour of a RAFF file as #rrggbb, null where it is none that is known. */
export function fileColor(color: string): string | null {
  if (/^#[0-9a-fA-F]{6}$/.test(color)) return color.toLowerCase();
  if (/^#[0-9a-fA-F]{3}$/.test(color))
    return `#${[...color.slice(1)].map((digit) => digit + digit).join("")}`.toLowerCase();
  return NAMED[color] ?? null;
}

export function mixed(one: string, other: string, part: number): string {
  const [a, b] = [one, other].map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  const parts = a.map((x, i) => roundHalfEven(x + (b[i] - x) * part));
  return `#${parts.map((x) => x.toString(16).padStart(2, "0")).join("")}`;
}

/** Colours of RAFF files by name, made calmer: they stand beside the theme's. */
const NAMED: Record<string, string | undefined> = {
  black: "#2a2e35",
  blue: "#3f7fbf",
  brown: "#8d6a52",
  coral: "#e58a6d",
  crimson: "#b8404f",
  cyan: "#5cb8c4",
  darkblue: "#2f4b7c",
  darkgreen: "#33694f",
  darkgray: "#5b6470",
  darkred: "#8a3a3a",
  gold: "#d9b044",
  gray: "#8a93a3",
  green: "#4a9a5f",
  lightblue: "#a5cbe6",
  lightgray: "#cdd2da",
  lime: "#9cc65b",
  magenta: "#b9609f",
  maroon: "#7a3b48",
  navy: "#33446b",
  olive: "#8b8b4a",
  orange: "#e08f45",
  pink: "#e0a3b5",
  purple: "#8a6bb0",
  red: "#c9504a",
  salmon: "#e59a85",
  silver: "#c3c9d2",
  skyblue: "#7fbde0",
  steelblue: "#4f83b0",
  tan: "#cbb28c",
  teal: "#3f8f8f",
  tomato: "#d9644c",
  turquoise: "#56bdb0",
  violet: "#a683c4",
  white: "#f4f5f7",
  yellow: "#e0c750",
};
