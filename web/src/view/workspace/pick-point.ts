// Which of many points is under the pointer.
import { isWithin, type PointSet } from "../../store/workspace/points.ts";

export interface PickOptions {
  /** Of the picture [px]. */
  width: number;
  height: number;
  /** Pointer in it [px], and how near a point must be. */
  x: number;
  y: number;
  radius: number;
  /** Points that are drawn. */
  count: number;
  hidden: ReadonlySet<number>;
  /** Points within them do not count. */
  without: Float32Array | null;
  /** Whether a place is drawn at all. */
  isShown?: (x: number, y: number, z: number) => boolean;
}

/** The point nearest to the eye of those near the pointer; null for none. `clip` by columns. */
export function pickPoint(
  set: PointSet,
  clip: ArrayLike<number>,
  options: PickOptions,
): { index: number; depth: number } | null {
  const { width, height, x, y, radius, hidden, without, isShown } = options;
  const [u, v] = [(2 * x) / width - 1, 1 - (2 * y) / height];
  const [ru, rv] = [(2 * radius) / width, (2 * radius) / height];
  const m = clip;
  let best: { index: number; depth: number } | null = null;
  const count = Math.min(set.count, options.count);
  for (let i = 0; i < count; i++) {
    const [px, py, pz] = [set.xyz[3 * i], set.xyz[3 * i + 1], set.xyz[3 * i + 2]];
    const w = m[3] * px + m[7] * py + m[11] * pz + m[15];
    if (w <= 0 || (best && w >= best.depth)) continue;
    const du = (m[0] * px + m[4] * py + m[8] * pz + m[12]) / w - u;
    if (du > ru || du < -ru) continue;
    const dv = (m[1] * px + m[5] * py + m[9] * pz + m[13]) / w - v;
    if (dv > rv || dv < -rv) continue;
    if (hidden.has(set.groups[i])) continue;
    if (without && isWithin(without, px, py, pz)) continue;
    if (isShown && !isShown(px, py, pz)) continue;
    best = { index: i, depth: w };
  }
  return best;
}
