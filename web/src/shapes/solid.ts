// Small geometry behind the automatic shapes: bars between points, elbows, rounded plates.
// Twin of src/kinegen/mechanism/shapes/solid.py.
import * as proportion from "./proportions.ts";
import type { Capsule, Cylinder, Look, Placed, Plate } from "./data.ts";
import {
  type Mat3,
  type Vec3,
  IDENTITY,
  add,
  along,
  apply,
  applyInverse,
  columns,
  cross,
  distance,
  dot,
  length,
  mean,
  multiply,
  scaled,
  subtract,
  unit,
} from "./vectors.ts";

type Point2 = [number, number];
const TURN = 2 * Math.PI;

/** The shape, given in frame A, expressed in the frame where A has the pose (R, p). */
export function moved<P extends Placed>(shape: P, R: Mat3, p: Vec3): P {
  return {
    ...shape,
    rotation: multiply(R, shape.rotation),
    translation: add(p, apply(R, shape.translation)),
  };
}

/** A rotation whose third column is along z; x as near to the hint as possible. */
export function rotationWithZ(direction: Vec3, hint: Vec3 = [1, 0, 0]): Mat3 {
  const z = unit(direction);
  let x = along(hint, z, -dot(hint, z));
  if (length(x) < 1e-6) x = along([0, 1, 0], z, -z[1]);
  x = unit(x);
  return columns(x, cross(z, x), z);
}

const middle = (a: Vec3, b: Vec3): Vec3 => scaled(add(a, b), 0.5);

/** A round bar whose ball centres are a and b. */
export function capsuleBetween(a: Vec3, b: Vec3, radius: number, look: Look): Capsule {
  const size = distance(a, b);
  const rotation = size > 0 ? rotationWithZ(subtract(b, a)) : IDENTITY;
  return {
    kind: "capsule",
    radius,
    length: size,
    rotation,
    translation: middle(a, b),
    ...look,
  };
}

/** A round bar with flat ends at a and b. */
export function cylinderBetween(a: Vec3, b: Vec3, radius: number, look: Look): Cylinder {
  return {
    kind: "cylinder",
    radius,
    length: distance(a, b),
    rotation: rotationWithZ(subtract(b, a)),
    translation: middle(a, b),
    ...look,
  };
}

/** Corners of a bar from a to b that follows the axes, as the Kleinfinger offsets do. */
export function elbowPath(
  a: Vec3,
  zA: Vec3 | null,
  b: Vec3,
  zB: Vec3 | null,
  shortest: number,
): Vec3[] {
  if (!zA || !zB) return [a, b];
  const way = subtract(b, a);
  const cosine = dot(zA, zB);
  const feet: Vec3[] = [];
  if (1 - Math.abs(cosine) < 1e-9) {
    // Parallel axes have many common normals: take the one that keeps the bar with its end.
    feet.push(along(a, zA, dot(way, zA)));
  } else {
    // Feet of the common normal of the lines a + s zA and b - t zB.
    const [f, g] = [dot(way, zA), dot(way, zB)];
    const determinant = 1 - cosine * cosine;
    feet.push(along(a, zA, (f - cosine * g) / determinant));
    feet.push(along(b, zB, -(g - cosine * f) / determinant));
  }
  const longest = proportion.LONGEST_ELBOW * length(way);
  if (feet.some((f) => distance(f, a) > longest || distance(f, b) > longest)) return [a, b];
  const path = [a];
  for (const foot of feet) {
    if (Math.min(distance(foot, path[path.length - 1]), distance(foot, b)) > shortest)
      path.push(foot);
  }
  return [...path, b];
}

/** Outline around points at a distance, convex, with round corners, counter-clockwise. */
export function roundedOutline(points: Point2[], radius: number, steps = 5): Point2[] {
  const hull = convexHull(points);
  const outline: Point2[] = [];
  hull.forEach(([x, y], index) => {
    const before = hull[(index + hull.length - 1) % hull.length];
    const after = hull[(index + 1) % hull.length];
    let [first, turn] = [0, TURN];
    if (hull.length > 1) {
      // The corner's arc runs from the normal of the edge before to that of the edge after.
      first = Math.atan2(y - before[1], x - before[0]) - Math.PI / 2;
      const last = Math.atan2(after[1] - y, after[0] - x) - Math.PI / 2;
      turn = (last - first) % TURN;
      if (turn < 0) turn += TURN;
    }
    // A little less than the exact number, so that rounding errors do not add a corner.
    const count = Math.max(1, Math.ceil((steps * turn) / (Math.PI / 2) - 1e-6));
    const stop = hull.length === 1 ? count : count + 1;
    for (let step = 0; step < stop; step++) {
      const angle = first + (turn * step) / count;
      outline.push([x + radius * Math.cos(angle), y + radius * Math.sin(angle)]);
    }
  });
  return outline;
}

/** Corners of the convex hull, counter-clockwise (Andrew's monotone chain). */
export function convexHull(points: Point2[]): Point2[] {
  const scale = points.reduce((m, p) => Math.max(m, Math.abs(p[0]), Math.abs(p[1])), 0) || 1;
  const seen = new Map<string, Point2>();
  for (const [x, y] of points) {
    const rounded: Point2 = [grid(x / scale), grid(y / scale)];
    seen.set(rounded.join(), rounded);
  }
  const ordered = [...seen.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const unscaled = (corners: Point2[]) => corners.map(([x, y]): Point2 => [x * scale, y * scale]);
  if (ordered.length < 3) return unscaled(ordered);
  const half = (chain: Point2[]) => {
    const kept: Point2[] = [];
    for (const point of chain) {
      while (kept.length > 1 && bend(kept[kept.length - 2], kept[kept.length - 1], point) <= 1e-12)
        kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  return unscaled([...half(ordered), ...half(ordered.slice().reverse())]);
}

/** On the grid of nine decimals, without negative zero. */
const grid = (x: number) => Math.round(x * 1e9) / 1e9 + 0;

const bend = (a: Point2, b: Point2, c: Point2) =>
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/** A flat piece with round corners that carries all points in its middle plane. */
export function plateAround(
  points: Vec3[],
  normal: Vec3,
  radius: number,
  thickness: number,
  look: Look,
): Plate {
  const rotation = rotationWithZ(normal);
  const centre = mean(points);
  const flat = points.map((p): Point2 => {
    const local = applyInverse(rotation, subtract(p, centre));
    return [local[0], local[1]];
  });
  const outline = roundedOutline(flat, radius);
  const plate = { outline, thickness, points: flat, radius };
  return { kind: "plate", ...plate, rotation, translation: centre, ...look };
}

/**
 * The outline for a picture, which may be as fine as it likes: mass and contacts keep to the
 * plate's own.
 * @param steps Straight pieces of its round corners in a quarter turn.
 */
export const drawnOutline = ({ outline, points, radius }: Plate, steps: number): Point2[] =>
  points.length ? roundedOutline(points, radius, steps) : outline;
