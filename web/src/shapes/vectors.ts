// Small vector and matrix arithmetic: plain arrays, matrices by rows.

export type Vec3 = [number, number, number];
export type Mat3 = [number, number, number, number, number, number, number, number, number];

export const IDENTITY: Mat3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a: Vec3, s: number): Vec3 => [s * a[0], s * a[1], s * a[2]];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vec3): number => Math.sqrt(dot(a, a));
export const distance = (a: Vec3, b: Vec3): number => length(subtract(a, b));
export const unit = (a: Vec3): Vec3 => scaled(a, 1 / length(a));

/** a + s b. */
export const along = (a: Vec3, b: Vec3, s: number): Vec3 => [
  a[0] + s * b[0],
  a[1] + s * b[1],
  a[2] + s * b[2],
];

export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export const mean = (points: Vec3[]): Vec3 =>
  scaled(
    points.reduce((sum, p) => add(sum, p), [0, 0, 0]),
    1 / points.length,
  );

export const column = (R: Mat3, i: number): Vec3 => [R[i], R[3 + i], R[6 + i]];

/** The matrix with these columns. */
export const columns = (x: Vec3, y: Vec3, z: Vec3): Mat3 => [
  x[0],
  y[0],
  z[0],
  x[1],
  y[1],
  z[1],
  x[2],
  y[2],
  z[2],
];

export const apply = (R: Mat3, p: Vec3): Vec3 => [
  R[0] * p[0] + R[1] * p[1] + R[2] * p[2],
  R[3] * p[0] + R[4] * p[1] + R[5] * p[2],
  R[6] * p[0] + R[7] * p[1] + R[8] * p[2],
];

/** Rᵀ p. */
export const applyInverse = (R: Mat3, p: Vec3): Vec3 => [
  R[0] * p[0] + R[3] * p[1] + R[6] * p[2],
  R[1] * p[0] + R[4] * p[1] + R[7] * p[2],
  R[2] * p[0] + R[5] * p[1] + R[8] * p[2],
];

export const multiply = (A: Mat3, B: Mat3): Mat3 =>
  columns(apply(A, column(B, 0)), apply(A, column(B, 1)), apply(A, column(B, 2)));

/** As Python rounds. */
export function roundHalfEven(x: number): number {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

/** Singular values, falling, and their right vectors, of points as rows (one-sided Jacobi). */
export function principalAxes(points: Vec3[]): { spread: Vec3; axes: [Vec3, Vec3, Vec3] } {
  const A = [0, 1, 2].map((i) => points.map((p) => p[i]));
  const V = [0, 1, 2].map((i) => [0, 1, 2].map((k) => (i === k ? 1 : 0)));
  const product = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    for (const [i, j] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      const aa = product(A[i], A[i]);
      const bb = product(A[j], A[j]);
      const ab = product(A[i], A[j]);
      if (Math.abs(ab) <= 1e-17 * Math.sqrt(aa * bb)) continue;
      off = Math.max(off, Math.abs(ab) / Math.sqrt(aa * bb));
      // The turn that makes the two columns perpendicular.
      const zeta = (bb - aa) / (2 * ab);
      const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const c = 1 / Math.sqrt(1 + t * t);
      for (const M of [A, V]) {
        for (let k = 0; k < M[i].length; k++) {
          const [x, y] = [M[i][k], M[j][k]];
          M[i][k] = c * (x - t * y);
          M[j][k] = c * (t * x + y);
        }
      }
    }
    if (off < 1e-15) break;
  }
  const sizes = A.map((a) => Math.sqrt(product(a, a)));
  const order = [0, 1, 2].sort((i, j) => sizes[j] - sizes[i]);
  return {
    spread: order.map((i) => sizes[i]) as Vec3,
    axes: order.map((i) => V[i]) as [Vec3, Vec3, Vec3],
  };
}
