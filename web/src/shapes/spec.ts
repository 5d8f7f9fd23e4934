// Primitives for one link's `shape` as written in a file, numbers worked out.
// Twin of shapes_from_spec in src/kinegen/mechanism/shapes/shapes.py.
import type { Shape, ShapeData } from "../wire/messages.ts";
import type { Look, Placed, Primitive } from "./data.ts";
import * as proportion from "./proportions.ts";
import { type Mat3, type Vec3, IDENTITY } from "./vectors.ts";

/**
 * @param spec 'auto', 'none', a mesh file's name, a mapping with one of box, cylinder, sphere,
 *   capsule, mesh, or a list of those.
 * @param automatic What 'auto' stands for; its first bar also lends its colour index.
 */
export function shapesFromSpec(spec: Shape, automatic: Primitive[]): Primitive[] {
  if (spec === "auto") return automatic;
  if (spec === "none") return [];
  if (Array.isArray(spec)) return spec.flatMap((part) => shapesFromSpec(part, automatic));
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
  return [primitive(spec, look)];
}

function primitive(spec: ShapeData, look: Look): Primitive {
  const placed: Placed = {
    ...look,
    translation: spec.xyz ?? [0, 0, 0],
    rotation: rotationFromRpy(spec.rpy ?? [0, 0, 0]),
  };
  if (spec.box) return { kind: "box", size: spec.box, ...placed };
  if (spec.cylinder) {
    const [radius, length] = spec.cylinder;
    return { kind: "cylinder", radius, length, ...placed };
  }
  if (spec.capsule) {
    const [radius, length] = spec.capsule;
    return { kind: "capsule", radius, length, ...placed };
  }
  if (spec.sphere !== undefined) return { kind: "sphere", radius: spec.sphere, ...placed };
  if (spec.mesh) {
    const scale = spec.scale ?? 1;
    const scales: Vec3 = typeof scale === "number" ? [scale, scale, scale] : scale;
    return { kind: "mesh", file: spec.mesh, scale: scales, ...placed };
  }
  if (Array.isArray(spec.heights) && spec.size) {
    const scale = spec.height ?? 1;
    const rows = spec.heights.map((row) => row.map((one) => scale * one));
    const depth = spec.depth ?? proportion.FIELD_DEPTH * Math.min(...spec.size);
    return { kind: "heights", rows, size: spec.size, depth, ...placed };
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
