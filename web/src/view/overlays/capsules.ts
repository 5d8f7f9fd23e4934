// Links as bundles of capsules (a line with a thickness), for quick and rough distances.
import type { Primitive } from "../../shapes/index.ts";
import {
  type Vec3,
  add,
  apply,
  along,
  column,
  distance,
  dot,
  subtract,
} from "../../shapes/vectors.ts";

export interface Rod {
  a: Vec3;
  b: Vec3;
  radius: number;
}

/** Capsules that fill a primitive roughly, in its link's frame; none for a mesh file. */
export function rodsOf(shape: Primitive): Rod[] {
  const { rotation: R, translation: p } = shape;
  const z = column(R, 2);
  const line = (half: number, radius: number): Rod => ({
    a: along(p, z, -half),
    b: along(p, z, half),
    radius,
  });
  switch (shape.kind) {
    case "sphere":
      return [{ a: p, b: p, radius: shape.radius }];
    case "capsule":
      return [line(shape.length / 2, shape.radius)];
    case "cylinder":
      // A flat disc is a ball's core; a long rod ends where its caps do.
      return [line(Math.max(0, shape.length / 2 - shape.radius), shape.radius)];
    case "box": {
      const [x, y, z] = order(shape.size);
      const [u, v] = [column(R, x), column(R, y)];
      const [thick, half] = [shape.size[z] / 2, [shape.size[x] / 2, shape.size[y] / 2]];
      const [a, b] = half.map((size) => Math.max(0, size - thick));
      const corner = (s: number, t: number) => along(along(p, u, s * a), v, t * b);
      return web(p, [corner(1, 1), corner(-1, 1), corner(-1, -1), corner(1, -1)], thick);
    }
    case "plate": {
      const count = Math.min(8, shape.outline.length);
      const thick = shape.thickness / 2;
      const rim = Array.from({ length: count }, (_, i): Vec3 => {
        const [s, t] = shape.outline[Math.floor((i * shape.outline.length) / count)];
        return add(p, apply(R, [s, t, 0]));
      });
      return web(p, rim, thick);
    }
    case "mesh":
    case "heights":
      return [];
  }
}

/** Axes by falling size. */
const order = (size: Vec3): number[] => [0, 1, 2].sort((i, j) => size[j] - size[i]);

/** A flat piece as its rim and spokes from its middle. */
function web(centre: Vec3, rim: Vec3[], radius: number): Rod[] {
  return rim.flatMap((a, i) => [
    { a, b: rim[(i + 1) % rim.length], radius },
    { a: centre, b: a, radius },
  ]);
}

/** The nearest places of two segments. */
export function nearest(one: Rod, other: Rod): { p: Vec3; q: Vec3; gap: number } {
  const [u, v] = [subtract(one.b, one.a), subtract(other.b, other.a)];
  const w = subtract(one.a, other.a);
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)];
  const bounded = (x: number) => Math.min(1, Math.max(0, x));
  const determinant = uu * vv - uv * uv;
  let s = determinant > 1e-18 ? bounded((uv * vw - vv * uw) / determinant) : 0;
  let t = vv > 0 ? (uv * s + vw) / vv : 0;
  if (t < 0 || t > 1) {
    t = bounded(t);
    s = uu > 0 ? bounded((uv * t - uw) / uu) : 0;
  }
  const [p, q] = [along(one.a, u, s), along(other.a, v, t)];
  return { p, q, gap: distance(p, q) - one.radius - other.radius };
}
