// Small things that a hand can take: the one beside it, or the one that its ray passes. Pure.
import { type Matrix4, Vector3 } from "three";

interface Point {
  readonly at: readonly [number, number, number];
}

/** A ray takes what it passes at this angle at most [rad]. */
const ASIDE = 0.03;

/** The nearest within a distance; null: none. */
export function pointNear<T extends Point>(
  all: readonly T[],
  from: Vector3,
  within: number,
): { one: T; distance: number } | null {
  let best: { one: T; distance: number } | null = null;
  for (const one of all) {
    const distance = from.distanceTo(new Vector3(...one.at));
    if (distance < (best?.distance ?? within)) best = { one, distance };
  }
  return best;
}

/** The one nearest to a ray, −z of a pose, as seen from its start; null: none is near it. */
export function pointAlong<T extends Point>(
  all: readonly T[],
  X_WH: Matrix4,
): { one: T; distance: number } | null {
  const from = new Vector3().setFromMatrixPosition(X_WH);
  const ahead = new Vector3(0, 0, -1).transformDirection(X_WH);
  let best: { one: T; distance: number } | null = null;
  let least = ASIDE;
  for (const one of all) {
    const way = new Vector3(...one.at).sub(from);
    const angle = way.angleTo(ahead);
    if (angle > least) continue;
    [best, least] = [{ one, distance: way.length() }, angle];
  }
  return best;
}
