// Matrices for the eye: homogeneous ones from poses, singular values of a Jacobian.

/** The 4 × 4 matrix of a pose (quaternion wxyz, then xyz), row by row. */
export function homogeneous(pose: ArrayLike<number>): number[][] {
  const [w, x, y, z] = [pose[0], pose[1], pose[2], pose[3]];
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), pose[4]],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), pose[5]],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), pose[6]],
    [0, 0, 0, 1],
  ];
}

/** Singular values of a rows × columns matrix, largest first: square roots of the eigenvalues of
 * A Aᵀ, found by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5). */
export function singularValues(a: ArrayLike<number>, rows: number, columns: number): number[] {
  const s: number[][] = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: rows }, (_, j) => {
      let sum = 0;
      for (let k = 0; k < columns; ++k) sum += a[i * columns + k] * a[j * columns + k];
      return sum;
    }),
  );
  for (let sweep = 0; sweep < 12; ++sweep)
    for (let p = 0; p < rows - 1; ++p) for (let q = p + 1; q < rows; ++q) rotate(s, p, q);
  return s
    .map((row, i) => Math.sqrt(Math.max(0, row[i])))
    .sort((x, y) => y - x)
    .slice(0, Math.min(rows, columns));
}

/** Makes s[p][q] zero by a rotation of rows and columns p and q. */
function rotate(s: number[][], p: number, q: number): void {
  const off = s[p][q];
  if (Math.abs(off) < 1e-300) return;
  const tau = (s[q][q] - s[p][p]) / (2 * off);
  const t = Math.sign(tau || 1) / (Math.abs(tau) + Math.hypot(1, tau));
  const c = 1 / Math.hypot(1, t);
  const n = t * c;
  for (let k = 0; k < s.length; ++k) {
    const [x, y] = [s[k][p], s[k][q]];
    s[k][p] = c * x - n * y;
    s[k][q] = n * x + c * y;
  }
  for (let k = 0; k < s.length; ++k) {
    const [x, y] = [s[p][k], s[q][k]];
    s[p][k] = c * x - n * y;
    s[q][k] = n * x + c * y;
  }
}
