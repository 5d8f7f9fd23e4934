import { describe, expect, it } from "vitest";
import {
  convexHull,
  elbowPath,
  plateAround,
  rotationWithZ,
  roundedOutline,
} from "../../src/shapes/solid.ts";
import { apply, column, cross, distance, dot, type Vec3 } from "../../src/shapes/vectors.ts";

const LOOK = { role: "bar", branch: 1, tone: 0, color: null } as const;

describe("rotationWithZ", () => {
  it.each([[[0, 0, 1]], [[1, 0, 0]], [[-1, 0, 0]], [[0.3, -0.4, 2]]] as [Vec3][])(
    "is a rotation with z along %j",
    (z) => {
      const R = rotationWithZ(z);
      const [x, y, w] = [0, 1, 2].map((i) => column(R, i));
      expect(dot(x, y)).toBeCloseTo(0, 14);
      expect(distance(cross(x, y), w)).toBeCloseTo(0, 14);
      expect(dot(w, z)).toBeCloseTo(Math.hypot(...z), 14);
    },
  );
});

describe("convexHull", () => {
  it("leaves out what lies inside and goes round counter-clockwise", () => {
    const hull = convexHull([
      [0, 0],
      [1, 0],
      [0.5, 0.4],
      [1, 1],
      [0, 1],
      [0.5, 0],
    ]);
    expect(hull).toHaveLength(4);
    const area = hull.reduce((sum, [x, y], i) => {
      const [u, v] = hull[(i + 1) % hull.length];
      return sum + (x * v - y * u) / 2;
    }, 0);
    expect(area).toBeCloseTo(1, 12);
  });

  it("takes one and two points", () => {
    expect(convexHull([[2, 4]])).toEqual([[2, 4]]);
    expect(
      convexHull([
        [1, 0],
        [0, 0],
        [1, 0],
      ]),
    ).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });
});

describe("roundedOutline", () => {
  it("keeps its distance from the points", () => {
    const outline = roundedOutline(
      [
        [0, 0],
        [2, 0],
      ],
      0.5,
    );
    for (const [x, y] of outline) {
      const foot = Math.min(2, Math.max(0, x));
      expect(Math.hypot(x - foot, y)).toBeCloseTo(0.5, 12);
    }
  });

  it("is a circle around one point, without a doubled corner", () => {
    const outline = roundedOutline([[1, 1]], 0.2);
    expect(outline).toHaveLength(20);
    expect(new Set(outline.map((p) => p.map((x) => x.toFixed(9)).join())).size).toBe(20);
  });
});

describe("elbowPath", () => {
  it("follows both axes where the feet of the common normal are near", () => {
    const path = elbowPath([0, 0, 0], [0, 0, 1], [1, 2, 1], [0, 1, 0], 0.01);
    expect(path).toEqual([
      [0, 0, 0],
      [0, 0, 1],
      [1, 0, 1],
      [1, 2, 1],
    ]);
  });

  it("is straight without axes", () => {
    expect(elbowPath([0, 0, 0], null, [1, 1, 1], [0, 0, 1], 0.1)).toHaveLength(2);
  });
});

describe("plateAround", () => {
  it("has its points in its middle plane", () => {
    const points: Vec3[] = [
      [1, 0, 2],
      [0, 1, 2],
      [-1, -1, 2],
    ];
    const plate = plateAround(points, [0, 0, 1], 0.1, 0.05, LOOK);
    expect(plate.translation[2]).toBeCloseTo(2, 12);
    for (const [x, y] of plate.outline) {
      const at = apply(plate.rotation, [x, y, 0]);
      expect(at[2]).toBeCloseTo(0, 12);
    }
  });
});
