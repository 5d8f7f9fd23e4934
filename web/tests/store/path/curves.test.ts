import { describe, expect, it } from "vitest";

import { type CurveKind, defaultCurve, type Place } from "../../../src/store/path/curves.ts";
import { handlesOf, shifted, withHandle } from "../../../src/store/path/handles.ts";
import { simplified, strokeCurve } from "../../../src/store/path/stroke.ts";
import { from, planeAxes, product, type Triple } from "../../../src/store/path/vectors.ts";

const PLACE: Place = {
  centre: [0.1, 0.3, 0.05],
  normal: [0, 0, 1],
  across: [1, 0, 0],
  along: [0, 1, 0],
  radius: 0.08,
  reached: true,
  flat: true,
};
const far = (a: Triple, b: Triple): number => Math.hypot(...from(a, b));

describe("default curves", () => {
  it.each<CurveKind>(["segment", "ellipse", "bezier", "spline"])("%s lies in its place", (kind) => {
    const curve = defaultCurve(kind, PLACE, null);
    if (!("points" in curve)) throw new Error("no points");
    for (const point of curve.points) {
      // corners of an ellipse lie beyond it
      expect(far(point, PLACE.centre)).toBeLessThan(1.1 * PLACE.radius);
      expect(point[2]).toBeCloseTo(0.05, 12);
    }
  });

  it("writes formulas with lengths as people do", () => {
    const curve = defaultCurve("formula", PLACE, null);
    if (curve.kind !== "formula") throw new Error("another kind");
    expect(curve.x).toBe("100 mm + 68 mm*sin(t)");
    expect(curve.y).toBe("300 mm + 68 mm*sin(2*t)/2");
    expect(curve.z).toBe("50 mm");
  });

  it("keeps a surface's curve in a flat mechanism's plane", () => {
    const flat = defaultCurve("surface", PLACE, null);
    const free = defaultCurve("surface", { ...PLACE, flat: false }, null);
    expect(flat).toMatchObject({ gives: "y" });
    expect(free).toMatchObject({ gives: "z" });
  });
});

describe("handles", () => {
  const ellipse = defaultCurve("ellipse", PLACE, null);

  it("an ellipse has its four corners and its middle", () => {
    const handles = handlesOf(ellipse, null);
    expect(handles.map((one) => one.id)).toEqual(["p0", "p1", "c0", "c1", "m"]);
    const sides = handles.slice(0, 4).map((one) => one.at);
    // opposite sides are as long as each other
    expect(far(sides[0], sides[2])).toBeCloseTo(far(sides[1], sides[3]), 12);
    expect(far(sides[0], sides[3])).toBeCloseTo(far(sides[1], sides[2]), 12);
  });

  it.each(["p0", "p1", "c0", "c1", "m"])("%s goes where it is dragged", (id) => {
    const to: Triple = [0.19, 0.41, 0.05];
    const moved = withHandle(ellipse, id, to, null);
    const handle = handlesOf(moved, null).find((one) => one.id === id)!;
    handle.at.forEach((x, k) => expect(x).toBeCloseTo(to[k], 12));
  });

  it("both corners stay in one plane", () => {
    const moved = withHandle(ellipse, "p1", [0.2, 0.4, 0.3], null);
    if (moved.kind !== "ellipse") throw new Error("another kind");
    expect(moved.points[0][2]).toBeCloseTo(0.3, 12);
  });

  it("foci that are pulled apart take the half-axis along", () => {
    const foci = { ...ellipse, by: "foci" as const, radius: 0.1 };
    const moved = withHandle(foci as typeof ellipse, "p1", [0.9, 0.3, 0.05], null);
    if (moved.kind !== "ellipse") throw new Error("another kind");
    expect(moved.radius).toBeGreaterThan(far(moved.points[0], moved.points[1]) / 2);
    const longer = withHandle(moved, "r", [2, 0.3, 0.05], null);
    expect(handlesOf(longer, null).find((one) => one.id === "r")!.at[0]).toBeGreaterThan(1.5);
  });

  it("the middle moves curves made of formulas by their offset", () => {
    const curve = defaultCurve("formula", PLACE, null);
    const moved = withHandle(curve, "m", [0.2, 0.3, 0.05], [0.1, 0.3, 0.05]);
    expect(moved).toMatchObject({ offset: [0.1, 0, 0] });
    expect(shifted(moved, [0, 1, 0])).toMatchObject({ offset: [0.1, 1, 0] });
  });
});

it("plane axes are those of the studio", () => {
  expect(planeAxes([0, 0, 1])).toEqual([
    [1, 0, 0],
    [0, 1, 0],
  ]);
  const [a, b] = planeAxes([0.6, 0, 0.8]);
  for (const product_ of [product(a, b), product(a, [0.6, 0, 0.8]), product(b, [0.6, 0, 0.8])])
    expect(product_).toBeCloseTo(0, 12);
});

describe("strokes", () => {
  const ring = (part: number): Triple[] =>
    Array.from({ length: 200 }, (_, i) => {
      const t = (part * 2 * Math.PI * i) / 199;
      return [Math.cos(t), Math.sin(t), 0];
    });

  it("a ring becomes a closed spline of few points, near to what was drawn", () => {
    const curve = strokeCurve(ring(0.99));
    if (curve?.kind !== "spline") throw new Error("no spline");
    expect(curve.closed).toBe(true);
    expect(curve.points.length).toBeLessThan(20);
    for (const point of curve.points) expect(Math.hypot(...point)).toBeCloseTo(1, 6);
  });

  it("half a ring stays open, a straight line keeps three points", () => {
    expect(strokeCurve(ring(0.5))).toMatchObject({ closed: false });
    const line = Array.from({ length: 50 }, (_, i): Triple => [i / 50, 0, 0]);
    expect(strokeCurve(line)).toMatchObject({ closed: false, points: { length: 3 } });
    expect(strokeCurve([[0, 0, 0]])).toBeNull();
  });

  it("nothing further away than the tolerance is left out", () => {
    const points = ring(0.7);
    const kept = simplified(points, 0.05);
    for (const point of points) {
      const near = Math.min(
        ...kept.slice(1).map((b, i) => {
          const a = kept[i];
          const way = from(a, b);
          const share = Math.min(1, Math.max(0, product(from(a, point), way) / product(way, way)));
          return Math.hypot(...point.map((x, k) => x - a[k] - share * way[k]));
        }),
      );
      expect(near).toBeLessThan(0.0501);
    }
  });
});
