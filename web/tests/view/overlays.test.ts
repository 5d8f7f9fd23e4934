import { describe, expect, it } from "vitest";
import { nearest, type Rod, rodsOf } from "../../src/view/overlays/capsules.ts";
import { withoutLoops } from "../../src/view/overlays/ellipsoid.ts";
import { KINDS } from "../../src/view/overlays/kinds.ts";
import { OVERLAYS } from "../../src/store/settings.ts";
import { along, distance, subtract, type Vec3 } from "../../src/shapes/vectors.ts";

it("every overlay of the settings is drawn, frames by a part of their own", () => {
  expect(Object.keys(KINDS).sort()).toEqual(OVERLAYS.filter((name) => name !== "frames").sort());
});

describe("nearest", () => {
  const rods: [Rod, Rod][] = [
    [rod([0, 0, 0], [1, 0, 0]), rod([0.5, 1, 0], [0.5, 2, 1])],
    [rod([0, 0, 0], [1, 0, 0]), rod([2, 0, 0], [3, 0, 0])],
    [rod([0, 0, 0], [1, 0, 0]), rod([0, 1, 0], [1, 1, 0])],
    [rod([0, 0, 0], [0, 0, 0]), rod([1, 1, 1], [1, 1, 1])],
    [rod([0, 0, -1], [0, 0, 1]), rod([-1, 0.3, 0.2], [1, 0.3, 0.2])],
    [rod([0, 0, 0], [2, 1, 0]), rod([3, -1, 0.5], [2.5, 4, -0.5])],
  ];
  it.each(rods)("finds what trying all places finds (%#)", (one, other) => {
    let best = Infinity;
    const place = ({ a, b }: Rod, t: number): Vec3 => along(a, subtract(b, a), t);
    for (let s = 0; s <= 200; s++)
      for (let t = 0; t <= 200; t++)
        best = Math.min(best, distance(place(one, s / 200), place(other, t / 200)));
    const { p, q, gap } = nearest(one, other);
    expect(distance(p, q)).toBeCloseTo(gap + 0.3, 12);
    expect(distance(p, q)).toBeLessThanOrEqual(best + 1e-12);
    expect(distance(p, q)).toBeGreaterThan(best - 0.02);
  });
});

function rod(a: Vec3, b: Vec3): Rod {
  return { a, b, radius: 0.15 };
}

describe("rodsOf", () => {
  it("keeps within a box", () => {
    const rods = rodsOf({
      kind: "box",
      size: [1, 0.2, 2],
      role: "bar",
      branch: 0,
      tone: 0,
      color: null,
      rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1],
      translation: [0, 0, 0],
    });
    for (const { a, b, radius } of rods)
      for (const p of [a, b]) {
        expect(radius).toBeCloseTo(0.1, 12);
        expect(Math.abs(p[0]) + radius).toBeLessThanOrEqual(0.5 + 1e-12);
        expect(Math.abs(p[1])).toBeLessThan(1e-12);
        expect(Math.abs(p[2]) + radius).toBeLessThanOrEqual(1 + 1e-12);
      }
  });
});

describe("withoutLoops", () => {
  it("leaves nothing along the loops' rows, and all of the rest", () => {
    const loops = Float64Array.of(1, 1, 0, 2, 2, 0, 0, 0, 0);
    const left = withoutLoops(Float64Array.of(1, 0, 5), loops, 3);
    expect(Array.from(left).map((x) => +x.toFixed(12))).toEqual([0.5, -0.5, 5]);
  });

  it("leaves everything of an open chain", () => {
    expect(Array.from(withoutLoops(Float64Array.of(1, 2), new Float64Array(0), 2))).toEqual([1, 2]);
  });
});
