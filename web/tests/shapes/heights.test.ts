// Height fields: as the file describes them, and as triangles.
import { expect, test } from "vitest";
import { shapesFromSpec } from "../../src/shapes/index.ts";
import { heightBody } from "../../src/view/links/height-body.ts";

const ROWS = [
  [0, 0.1, 0],
  [0, 0.2, -0.1],
];

test("a height field is read with its sizes", () => {
  const [field] = shapesFromSpec({ heights: ROWS, size: [2, 4], height: 0.5 }, []);
  expect(field).toMatchObject({ kind: "heights", size: [2, 4], depth: 0.2 });
  expect(field.kind === "heights" && field.rows[1]).toEqual([0, 0.1, -0.05]);
});

test("a table that is none is refused", () => {
  expect(() => shapesFromSpec({ heights: "a.csv", size: [1, 1] }, [])).toThrow(
    "it has heights, size",
  );
});

test("its faces look outwards and its walls reach the bottom", () => {
  const [field] = shapesFromSpec({ heights: ROWS, size: [2, 4], depth: 0.3 }, []);
  if (field.kind !== "heights") throw new Error("not a height field");
  const { vertices, indices } = heightBody(field);
  expect(Math.min(...vertices.map((v) => v[2]))).toBeCloseTo(-0.4);
  for (let k = 0; k < indices.length; k += 3) {
    const [a, b, c] = [0, 1, 2].map((i) => vertices[indices[k + i]]);
    const [u, v] = [b, c].map((p) => p.slice(0, 3).map((x, i) => x - a[i]));
    const normal = [
      u[1] * v[2] - u[2] * v[1],
      u[2] * v[0] - u[0] * v[2],
      u[0] * v[1] - u[1] * v[0],
    ];
    const along = normal.reduce((sum, x, i) => sum + x * a[3 + i], 0);
    expect(along).toBeGreaterThan(0);
  }
});
