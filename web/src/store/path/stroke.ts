// A line drawn by hand, as a curve of few points.
import type { PathCurve } from "./curves.ts";
import { from, plus, product, type Triple } from "./vectors.ts";

/** A stroke as few points through which a spline goes; null where nothing was drawn. */
export function strokeCurve(stroke: readonly Triple[]): PathCurve | null {
  const extent = Math.max(
    ...[0, 1, 2].map((k) => {
      const all = stroke.map((p) => p[k]);
      return Math.max(...all) - Math.min(...all);
    }),
  );
  if (stroke.length < 3 || !(extent > 0)) return null;
  const ends = Math.hypot(...from(stroke[0], stroke.at(-1)!));
  let tolerance = 0.02 * extent;
  let points = simplified(stroke, tolerance);
  while (points.length > 20) points = simplified(stroke, (tolerance *= 1.4));
  const closed = ends < 0.12 * extent && points.length > 3;
  if (closed) points = points.slice(0, -1);
  if (points.length < 3) points = [stroke[0], stroke[stroke.length >> 1], stroke.at(-1)!];
  return { kind: "spline", points: points.map((p): Triple => [...p]), closed };
}

/** Points of a line that say as much as all of them, within a tolerance (Douglas and Peucker). */
export function simplified(points: readonly Triple[], tolerance: number): Triple[] {
  if (points.length < 3) return [...points];
  const [a, b] = [points[0], points.at(-1)!];
  const way = from(a, b);
  const size = Math.hypot(...way);
  let far = -1;
  let at = 0;
  for (let i = 1; i < points.length - 1; ++i) {
    const to = from(a, points[i]);
    const share = size > 0 ? Math.min(1, Math.max(0, product(to, way) / (size * size))) : 0;
    const distance = Math.hypot(...plus(to, way, -share));
    if (distance > far) [far, at] = [distance, i];
  }
  if (far <= tolerance) return [a, b];
  return [
    ...simplified(points.slice(0, at + 1), tolerance).slice(0, -1),
    ...simplified(points.slice(at), tolerance),
  ];
}
