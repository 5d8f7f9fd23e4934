// Triples: points and directions of curves.
export type Triple = [number, number, number];

export const plus = (p: Triple, by: Triple, times = 1): Triple => [
  p[0] + times * by[0],
  p[1] + times * by[1],
  p[2] + times * by[2],
];
export const from = (a: Triple, b: Triple): Triple => plus(b, a, -1);
export const product = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export function mean(points: readonly Triple[]): Triple {
  const sum = points.reduce((all, p) => plus(all, p), [0, 0, 0] as Triple);
  return [sum[0] / points.length, sum[1] / points.length, sum[2] / points.length];
}

/** Two unit vectors across a normal, as `plane_axes` in ellipse.py gives them. */
export function planeAxes(normal: Triple): [Triple, Triple] {
  const small = normal.map(Math.abs);
  const k = small.indexOf(Math.min(...small));
  const helper: Triple = [0, 0, 0];
  helper[k] = 1;
  const raw = plus(helper, normal, -product(helper, normal));
  const size = Math.hypot(...raw);
  const first: Triple = [raw[0] / size, raw[1] / size, raw[2] / size];
  const second: Triple = [
    normal[1] * first[2] - normal[2] * first[1],
    normal[2] * first[0] - normal[0] * first[2],
    normal[0] * first[1] - normal[1] * first[0],
  ];
  return [first, second];
}
