// Curves of paths as the page describes them to the studio: kinds and defaults.
import type {
  PathFitData,
  PathMenuResult,
  PathPlaceResult,
  PathSpec,
  SurfaceCurve,
  SurfaceRow,
  VolumeCurve,
  VolumeRow,
} from "../../wire/messages.ts";
import { plus, type Triple } from "./vectors.ts";

export type { SurfaceCurve, Triple, VolumeCurve };

/** A circle within reach of a frame, as the studio finds it. */
export type Place = PathPlaceResult;
export type PathCurve = PathSpec["curve"];
/** A curve that scale and offset bring within reach. */
export type FittedCurve = Extract<PathCurve, Placed>;

/** Where a curve made of formulas lies: p ↦ scale p + offset [m]. */
export type Placed = PathFitData;

export type CurveKind = PathCurve["kind"];

/** The weld of two pipes in the paper on 3D-RAS (equations 37 to 39). */
export const PAPER_SEAM = {
  radii: [0.08, 0.09] as [number, number],
  at: [0.25, 0.25, 0.15] as Triple,
  points: 32,
};

const AXES = ["x", "y", "z"] as const;
const UNPLACED: Placed = { scale: 1, offset: [0, 0, 0] };

/** A point of the place's plane: x across, y along, in radii. */
export function inPlane({ centre, across, along, radius }: Place, x: number, y: number): Triple {
  return plus(plus(centre, across, x * radius), along, y * radius);
}

/** A curve of a kind where the mechanism reaches; those made of formulas still want to be fitted. */
export function defaultCurve(
  kind: CurveKind,
  place: Place,
  menu: PathMenuResult | null,
  objects: readonly string[] = [],
): PathCurve {
  const at = (x: number, y: number): Triple => inPlane(place, x, y);
  switch (kind) {
    case "segment":
      return { kind, points: [at(-0.9, 0), at(0.9, 0)] };
    case "ellipse":
      return {
        kind,
        by: "corners",
        points: [at(-0.9, -0.6), at(0.9, 0.6)],
        radius: 0.9 * place.radius,
        normal: place.normal,
      };
    case "bezier":
      return { kind, points: [at(-0.9, -0.3), at(-0.5, 0.9), at(0.5, -0.9), at(0.9, 0.3)] };
    case "spline":
      return {
        kind,
        closed: true,
        points: [
          at(0.8, 0),
          at(0.35, 0.6),
          at(-0.5, 0.75),
          at(-0.8, 0),
          at(-0.3, -0.6),
          at(0.5, -0.7),
        ],
      };
    case "formula":
      return { kind, ...figureEight(place), t: ["0", "360 deg"], ...UNPLACED };
    case "surface": {
      const row = menu?.surfaces.find((one) => one.name === "waves") ?? menu?.surfaces[0];
      return surfaceOf(row ?? PLANE, place);
    }
    case "volume": {
      return volumeOf(menu?.volumes.at(-1) ?? BALL);
    }
    case "seam": {
      const two = objects.length > 1;
      const neat = (x: number): number => Number(x.toPrecision(2));
      const lying = neat(0.8 * place.radius);
      return {
        kind,
        of: "pipes",
        radii: [neat(0.7 * place.radius), lying],
        // the seam runs round the top of the lying pipe
        at: plus(place.centre, [0, 0, 1], -0.8 * lying),
        objects: two ? [objects[0], objects[1]] : ["", ""],
        index: 0,
        facing: "between",
      };
    }
    case "picks":
      return { kind, points: [], normals: [], closed: false };
  }
}

const PLANE: SurfaceRow = {
  name: "plane",
  note: "",
  formula: "20 cm",
  gives: "z",
  x1: ["10 cm", "30 cm"],
  x2: ["10 cm", "30 cm"],
  curves: 20,
};
const BALL: VolumeRow = {
  name: "ball",
  note: "",
  x: "10 cm*cos(u)*cos(v)",
  y: "10 cm*sin(u)*cos(v)",
  z: "10 cm*sin(v)",
  u: ["0", "360 deg"],
  v: ["-80 deg", "80 deg"],
  curves: 20,
};

export function surfaceOf(row: SurfaceRow, place: Place | null): SurfaceCurve {
  // in a flat mechanism's plane: the coordinate that is held is the one across it
  const flat = place?.flat ? place.normal.findIndex((x) => Math.abs(x) > 0.5) : -1;
  const gives = flat < 0 ? row.gives : flat === 2 ? "y" : "z";
  const index = Math.floor(row.curves / 2);
  const { name, formula, x1, x2, curves } = row;
  return { kind: "surface", name, formula, gives, x1, x2, curves, index, ...UNPLACED };
}

export function volumeOf(row: VolumeRow): VolumeCurve {
  const { name, x, y, z, u, v, curves } = row;
  // the first curve of a ball is its equator, of a belt its middle
  return { kind: "volume", name, x, y, z, u, v, curves, index: 0, ...UNPLACED };
}

/** An eight, in formulas with the file's lengths. */
function figureEight({ centre, across, along, radius }: Place): {
  x: string;
  y: string;
  z: string;
} {
  const texts = AXES.map((_, k) => {
    const terms = [length(centre[k])];
    const add = (size: number, what: string): void => {
      if (Math.abs(size) < 1e-9) return;
      terms.push(`${size < 0 ? "-" : "+"} ${length(Math.abs(size))}*${what}`);
    };
    add(0.85 * radius * across[k], "sin(t)");
    add(0.85 * radius * along[k], "sin(2*t)/2");
    // a sum need not begin with nothing
    if (terms.length > 1 && terms[0] === "0 mm") terms.shift();
    return terms.join(" ").replace(/^\+ /, "");
  });
  return { x: texts[0], y: texts[1], z: texts[2] };
}

/** A length as one writes it: millimetres, as exact as it must be. */
function length(metres: number): string {
  const mm = metres * 1000;
  const near = Number(mm.toFixed(2));
  return `${Math.abs(mm - near) < 1e-7 ? near : Number(mm.toPrecision(12))} mm`;
}
