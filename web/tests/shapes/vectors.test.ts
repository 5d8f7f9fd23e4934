import { describe, expect, it } from "vitest";
import {
  apply,
  applyInverse,
  dot,
  length,
  type Mat3,
  multiply,
  principalAxes,
  type Vec3,
} from "../../src/shapes/vectors.ts";

const TURN: Mat3 = [0, -1, 0, 1, 0, 0, 0, 0, 1];

describe("matrices", () => {
  it("undo each other", () => {
    const p: Vec3 = [1, 2, 3];
    expect(apply(TURN, p)).toEqual([-2, 1, 3]);
    expect(applyInverse(TURN, apply(TURN, p))).toEqual(p);
    expect(multiply(TURN, TURN)).toEqual([-1, 0, 0, 0, -1, 0, 0, 0, 1]);
  });
});

describe("principalAxes", () => {
  it("finds sizes and directions of a cloud of points", () => {
    const points = Array.from({ length: 20 }, (_, i): Vec3 => {
      const [a, b, c] = [Math.sin(3 * i), Math.cos(5 * i + 1), Math.sin(7 * i + 2)];
      return [3 * a + 0.1 * c, a + b, 0.05 * c + 0.2 * b];
    });
    const { spread, axes } = principalAxes(points);
    expect(spread[0]).toBeGreaterThan(spread[1]);
    expect(spread[1]).toBeGreaterThan(spread[2]);
    axes.forEach((axis, i) => {
      expect(length(axis)).toBeCloseTo(1, 13);
      for (const other of axes.slice(i + 1)) expect(dot(axis, other)).toBeCloseTo(0, 13);
      // A singular value is the size of the points seen along its axis.
      expect(Math.hypot(...points.map((p) => dot(p, axis)))).toBeCloseTo(spread[i], 12);
    });
  });

  it("bears a flat cloud", () => {
    const { spread, axes } = principalAxes([
      [1, 0, 0],
      [-1, 0, 0],
      [0, 0, 2],
    ]);
    expect(spread[2]).toBeCloseTo(0, 14);
    expect(Math.abs(axes[2][1])).toBeCloseTo(1, 14);
  });
});
