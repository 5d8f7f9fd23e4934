// A height field as triangles: its surface, smooth, and walls down to its bottom.
import type { Heights } from "../../shapes/index.ts";

/** A place and its normal. */
type Vertex = [x: number, y: number, z: number, nx: number, ny: number, nz: number];

export function heightBody(shape: Heights): { vertices: Vertex[]; indices: number[] } {
  const vertices: Vertex[] = [];
  const indices: number[] = [];
  const [rows, columns] = [shape.rows.length, shape.rows[0].length];
  const [dx, dy] = [shape.size[0] / (columns - 1), shape.size[1] / (rows - 1)];
  const lowest = shape.rows.reduce((low, row) => row.reduce((a, b) => Math.min(a, b), low), 0);
  const bottom = lowest - shape.depth;
  const within = (k: number, count: number) => Math.max(0, Math.min(count - 1, k));
  const height = (i: number, j: number) => shape.rows[within(j, rows)][within(i, columns)];
  const x = (i: number) => i * dx - shape.size[0] / 2;
  const y = (j: number) => j * dy - shape.size[1] / 2;
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) {
      const across = (within(i + 1, columns) - within(i - 1, columns)) * dx;
      const along = (within(j + 1, rows) - within(j - 1, rows)) * dy;
      const nx = -(height(i + 1, j) - height(i - 1, j)) / across;
      const ny = -(height(i, j + 1) - height(i, j - 1)) / along;
      const size = Math.hypot(nx, ny, 1);
      vertices.push([x(i), y(j), height(i, j), nx / size, ny / size, 1 / size]);
    }
  for (let j = 0; j + 1 < rows; j++)
    for (let i = 0; i + 1 < columns; i++) {
      const a = j * columns + i;
      indices.push(a, a + 1, a + columns, a + 1, a + columns + 1, a + columns);
    }
  const wall = (places: [number, number][], nx: number, ny: number) => {
    for (let k = 0; k + 1 < places.length; k++) {
      const at = vertices.length;
      for (const [i, j] of [places[k], places[k + 1]])
        for (const z of [height(i, j), bottom]) vertices.push([x(i), y(j), z, nx, ny, 0]);
      indices.push(at, at + 1, at + 3, at, at + 3, at + 2);
    }
  };
  const steps = (count: number) => [...Array(count).keys()];
  const [right, back] = [columns - 1, rows - 1];
  wall(
    steps(columns).map((i) => [i, 0]),
    0,
    -1,
  );
  wall(
    steps(rows).map((j) => [right, j]),
    1,
    0,
  );
  wall(
    steps(columns).map((i) => [right - i, back]),
    0,
    1,
  );
  wall(
    steps(rows).map((j) => [0, back - j]),
    -1,
    0,
  );
  return { vertices, indices };
}
