// The curves to choose from, in words and signs.
import type { CurveKind } from "../../../store/path/curves.ts";
import type { IconName } from "../../icons/paths.ts";

export const KINDS: readonly { kind: CurveKind; title: string; icon: IconName; note: string }[] = [
  { kind: "segment", title: "Segment", icon: "segment", note: "Straight from point to point" },
  { kind: "ellipse", title: "Ellipse", icon: "ellipse", note: "By corners, or foci and radius" },
  { kind: "bezier", title: "Bézier", icon: "bezier", note: "Drawn towards control points" },
  { kind: "spline", title: "Spline", icon: "smooth", note: "Smoothly through points" },
  { kind: "formula", title: "Formula", icon: "formula", note: "x, y, z as formulas of t" },
  { kind: "surface", title: "Surface", icon: "surface", note: "A curve of y = f(x1, x2)" },
  { kind: "volume", title: "Volume", icon: "sphere", note: "A curve of x, y, z(u, v)" },
  { kind: "seam", title: "Seam", icon: "seam", note: "Where two solids meet" },
  { kind: "picks", title: "Picked points", icon: "picks", note: "Points on an object or part" },
];

/** Points counted from 0, as files and messages do: "point 3", "points 12–31". */
export const span = (first: number, last: number): string =>
  first === last ? `point ${first}` : `points ${first}–${last}`;

export const WARNINGS = {
  task: "Singular",
  gain: "Control lost",
  jump: "Jump",
  near: "Nearly singular",
} as const;

/** A name of the menu as people read it. */
export const titled = (name: string): string =>
  (name[0] ?? "").toUpperCase() + name.slice(1).replaceAll("-", " ");
