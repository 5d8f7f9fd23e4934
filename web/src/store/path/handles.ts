// What of a curve can be dragged, and what that does to it.
import type { PathCurve } from "./curves.ts";
import { from, mean, planeAxes, plus, product, type Triple } from "./vectors.ts";

/** Something of a curve that can be dragged. */
export interface CurveHandle {
  id: string;
  at: Triple;
  /** A point of it, or its middle, which takes all of it along. */
  kind: "point" | "middle" | "size";
  label: string;
}

/** What of a curve can be dragged; `middle` is the middle of its points as they are followed. */
export function handlesOf(curve: PathCurve, middle: Triple | null): CurveHandle[] {
  const whole = (at: Triple | null): CurveHandle[] =>
    at ? [{ id: "m", at, kind: "middle", label: "the whole curve" }] : [];
  const names =
    curve.kind === "segment"
      ? ["begin", "end"]
      : curve.kind === "ellipse" && curve.by === "foci"
        ? ["first focus", "second focus"]
        : [];
  switch (curve.kind) {
    case "segment":
    case "bezier":
    case "spline":
    case "ellipse": {
      const points = curve.points.map((at, i): CurveHandle => ({
        id: `p${i}`,
        at,
        kind: "point",
        label: names[i] ?? (curve.kind === "ellipse" ? `corner ${i + 1}` : `point ${i + 1}`),
      }));
      const more =
        curve.kind !== "ellipse"
          ? []
          : curve.by === "foci"
            ? [{ id: "r", at: vertex(curve), kind: "size" as const, label: "semi-major axis" }]
            : otherCorners(curve).map((at, i) => ({
                id: `c${i}`,
                at,
                kind: "point" as const,
                label: `corner ${i + 3}`,
              }));
      return [...points, ...more, ...whole(mean(curve.points))];
    }
    case "seam":
      return curve.of === "pipes" ? whole(curve.at) : [];
    case "picks":
      return [];
    default:
      return whole(middle);
  }
}

/** The curve with a handle somewhere else. */
export function withHandle(
  curve: PathCurve,
  id: string,
  to: Triple,
  middle: Triple | null,
): PathCurve {
  if (id === "m") {
    const handle = handlesOf(curve, middle).find((one) => one.id === "m");
    return handle ? shifted(curve, from(handle.at, to)) : curve;
  }
  if (!("points" in curve) || curve.kind === "picks") return curve;
  const points = curve.points.map((p): Triple => [...p]);
  if (curve.kind === "ellipse" && id === "r") {
    const centre = mean(points);
    const focus = Math.hypot(...from(centre, points[0]));
    return { ...curve, radius: Math.max(Math.hypot(...from(centre, to)), 1.02 * focus, 1e-4) };
  }
  const index = Number(id.slice(1));
  if (curve.kind !== "ellipse") {
    points[index] = to;
    return { ...curve, points };
  }
  const { normal } = curve;
  if (id.startsWith("p")) {
    const other = points[1 - index];
    const rise = product(from(other, to), normal);
    points[index] = to;
    // both stay in one plane
    points[1 - index] = plus(other, normal, rise);
    if (curve.by === "corners") return { ...curve, points };
    const half = Math.hypot(...from(points[0], points[1])) / 2;
    return { ...curve, points, radius: Math.max(curve.radius, 1.05 * half) };
  }
  // one of the two corners that are not written down: each shares a side with both that are
  const [across, along] = planeAxes(normal);
  const [p, r] = points as [Triple, Triple];
  const set = (point: Triple, axis: Triple): Triple =>
    plus(point, axis, product(from(point, to), axis));
  points[0] = index === 0 ? set(p, along) : set(p, across);
  points[1] = index === 0 ? set(r, across) : set(r, along);
  return { ...curve, points };
}

/** All of a curve moved by a vector [m]. */
export function shifted(curve: PathCurve, by: Triple): PathCurve {
  if (curve.kind === "seam") return { ...curve, at: plus(curve.at, by) };
  if ("points" in curve) return { ...curve, points: curve.points.map((p) => plus(p, by)) };
  return { ...curve, offset: plus(curve.offset, by) };
}

type Ellipse = Extract<PathCurve, { kind: "ellipse" }>;

/** The corners of the rectangle between the two that are given. */
function otherCorners({ points, normal }: Ellipse): [Triple, Triple] {
  const [across] = planeAxes(normal);
  const [p, r] = points as [Triple, Triple];
  const side = product(from(p, r), across);
  return [plus(p, across, side), plus(r, across, -side)];
}

/** The end of the semi-major axis, beyond the second focus. */
function vertex({ points, radius, normal }: Ellipse): Triple {
  const [f, g] = points as [Triple, Triple];
  const way = from(f, g);
  const size = Math.hypot(...way);
  const axis: Triple =
    size > 1e-12 ? [way[0] / size, way[1] / size, way[2] / size] : planeAxes(normal)[0];
  return plus(mean(points), axis, radius);
}
