// Primitives for one link's `shape` as written in a file, numbers worked out.
// Twin of shapes_from_spec in src/kinegen/mechanism/shapes/shapes.py.
import type { Look, Placed, Primitive } from "./data.ts";
import * as proportion from "./proportions.ts";
import { type Mat3, type Vec3, IDENTITY } from "./vectors.ts";

/** A body as in a file: one of the kinds, its place in the link's frame [m, rad], a mesh's scale. */
interface Body {
  box?: Vec3;
  cylinder?: [number, number];
  capsule?: [number, number];
  sphere?: number;
  mesh?: string;
  scale?: number | Vec3;
  heights?: number[][];
  size?: [number, number];
  height?: number;
  depth?: number;
  xyz?: Vec3;
  rpy?: Vec3;
}

/** How many numbers each key has; 0 for a text. The studio's reader has checked the rest. */
const NUMBERS: Record<Exclude<keyof Body, "heights">, readonly number[]> = {
  box: [3], cylinder: [2], capsule: [2], sphere: [1], mesh: [0], scale: [1, 3], xyz: [3], rpy: [3],
  size: [2], height: [1], depth: [1],
}; // prettier-ignore

const isTable = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(
    (row: unknown) => Array.isArray(row) && row.every((one: unknown) => typeof one === "number"),
  );

function isBody(spec: object): spec is Body {
  const given = new Map<string, unknown>(Object.entries(spec));
  if (given.has("heights") && !isTable(given.get("heights"))) return false;
  return Object.entries(NUMBERS).every(([key, counts]) => {
    const value = given.get(key);
    if (value === undefined || value === null) return true;
    if (counts[0] === 0) return typeof value === "string";
    const numbers: unknown[] = Array.isArray(value) ? value : [value];
    return counts.includes(numbers.length) && numbers.every((one) => typeof one === "number");
  });
}

/**
 * @param spec 'auto', 'none', a mesh file's name, a mapping with one of box, cylinder, sphere,
 *   capsule, mesh, or a list of those.
 * @param automatic What 'auto' stands for; its first bar also lends its colour index.
 */
export function shapesFromSpec(spec: unknown, automatic: Primitive[]): Primitive[] {
  if (spec === null || spec === undefined || spec === "auto") return automatic;
  if (spec === "none") return [];
  if (Array.isArray(spec)) return spec.flatMap((part: unknown) => shapesFromSpec(part, automatic));
  const base = automatic.find((p) => p.role === "bar" || p.role === "ground");
  const look: Look = {
    role: base?.role ?? "bar",
    branch: base?.branch ?? 0,
    tone: base?.tone ?? 0,
    color: null,
  };
  if (typeof spec === "string") {
    return [
      {
        kind: "mesh",
        file: spec,
        scale: [1, 1, 1],
        rotation: IDENTITY,
        translation: [0, 0, 0],
        ...look,
      },
    ];
  }
  if (typeof spec !== "object" || !isBody(spec))
    throw new Error(`this is not a shape: ${JSON.stringify(spec)}`);
  const placed: Placed = {
    ...look,
    translation: spec.xyz ?? [0, 0, 0],
    rotation: rotationFromRpy(spec.rpy ?? [0, 0, 0]),
  };
  if (spec.box) return [{ kind: "box", size: spec.box, ...placed }];
  if (spec.cylinder) {
    const [radius, length] = spec.cylinder;
    return [{ kind: "cylinder", radius, length, ...placed }];
  }
  if (spec.capsule) {
    const [radius, length] = spec.capsule;
    return [{ kind: "capsule", radius, length, ...placed }];
  }
  if (spec.sphere !== undefined) return [{ kind: "sphere", radius: spec.sphere, ...placed }];
  if (spec.mesh) {
    const scale = spec.scale ?? 1;
    const scales: Vec3 = typeof scale === "number" ? [scale, scale, scale] : scale;
    return [{ kind: "mesh", file: spec.mesh, scale: scales, ...placed }];
  }
  if (spec.heights && spec.size) {
    const scale = spec.height ?? 1;
    const rows = spec.heights.map((row) => row.map((one) => scale * one));
    const depth = spec.depth ?? proportion.FIELD_DEPTH * Math.min(...spec.size);
    return [{ kind: "heights", rows, size: spec.size, depth, ...placed }];
  }
  throw new Error(
    `a shape needs one of box, cylinder, sphere, capsule, mesh, heights; it has ${Object.keys(spec).join(", ")}`,
  );
}

/** Rz(yaw) Ry(pitch) Rx(roll). */
export function rotationFromRpy([roll, pitch, yaw]: Vec3): Mat3 {
  const [cr, cp, cy] = [Math.cos(roll), Math.cos(pitch), Math.cos(yaw)];
  const [sr, sp, sy] = [Math.sin(roll), Math.sin(pitch), Math.sin(yaw)];
  return [
    cy * cp,
    cy * sp * sr - sy * cr,
    cy * sp * cr + sy * sr,
    sy * cp,
    sy * sp * sr + cy * cr,
    sy * sp * cr - cy * sr,
    -sp,
    cp * sr,
    cp * cr,
  ];
}
