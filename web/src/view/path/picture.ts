// What of a path is to be seen: stretches that are reached and not, dots, crosses, warnings.
import type { PathPlan } from "../../store/path/plan.ts";
import type { Triple } from "../../store/path/curves.ts";

/** Marks along a path at most: more would run into each other, and the line shows the rest. */
const MOST = 72;

export interface PathPicture {
  /** Lines of what is reached … */
  reached: Triple[][];
  /** … and of what is not. */
  missed: Triple[][];
  dots: Float32Array;
  crosses: Float32Array;
  warnings: Float32Array;
}

export function pathPicture(plan: PathPlan): PathPicture {
  const { count } = plan;
  const picture: PathPicture = {
    reached: [],
    missed: [],
    dots: new Float32Array(0),
    crosses: new Float32Array(0),
    warnings: new Float32Array(0),
  };
  const met: number[] = [];
  const missed: number[] = [];
  for (let i = 0; i < count; ++i) {
    if (!Number.isFinite(plan.xyz[3 * i])) continue;
    (plan.isReached(i) ? met : missed).push(i);
  }
  // a smooth line where all is reached; else from point to point, each stretch by itself
  if (!missed.length && met.length === count) picture.reached = [triples(plan.line)];
  else
    for (let i = 0; i + 1 < count; ++i) {
      const ends = [plan.point(i), plan.point(i + 1)];
      if (!ends.every((p) => p.every(Number.isFinite))) continue;
      const lines = plan.isReached(i) && plan.isReached(i + 1) ? picture.reached : picture.missed;
      const last = lines.at(-1)?.at(-1);
      if (last && same(last, ends[0])) lines.at(-1)!.push(ends[1]);
      else lines.push(ends);
    }
  // every so many points has a mark; so has what is missed in between
  const step = Math.ceil(count / MOST);
  const isMarked = (i: number): boolean => i % step === 0;
  const isAlone = (i: number): boolean => plan.isReached(i - 1) && plan.isReached(i + 1);
  picture.dots = places(plan, met.filter(isMarked));
  picture.crosses = places(
    plan,
    missed.filter((i) => isMarked(i) || isAlone(i)),
  );
  picture.warnings = places(
    plan,
    plan.answer.crossings.map((crossing) => crossing.index),
  );
  return picture;
}

const same = (a: Triple, b: Triple): boolean => a.every((x, k) => x === b[k]);

function triples(flat: Float32Array): Triple[] {
  const found: Triple[] = [];
  for (let i = 0; i + 2 < flat.length; i += 3)
    if (Number.isFinite(flat[i])) found.push([flat[i], flat[i + 1], flat[i + 2]]);
  return found;
}

const places = (plan: PathPlan, indices: number[]): Float32Array =>
  Float32Array.from(indices.flatMap((i) => plan.point(i)));

/** The point of a path under a pointer, by where each is seen; -1 for none. */
export function pointUnder(
  plan: PathPlan,
  seen: (place: Triple) => [number, number],
  x: number,
  y: number,
  reach: number,
): number {
  let best = -1;
  let near = reach;
  const warned = new Set(plan.answer.crossings.map((crossing) => crossing.index));
  for (let i = 0; i < plan.count; ++i) {
    // only those that have something to say
    if ((plan.isReached(i) && !warned.has(i)) || !Number.isFinite(plan.xyz[3 * i])) continue;
    const [u, v] = seen(plan.point(i));
    const distance = Math.hypot(u - x, v - y);
    if (distance < near) [best, near] = [i, distance];
  }
  return best;
}

/** What a point of a path has to say. */
export function wordsOf(plan: PathPlan, i: number): string {
  const crossing = plan.answer.crossings.find((one) => one.index === i);
  if (!plan.isReached(i)) return `point ${i}: ${plan.reason(i)}`;
  return crossing ? crossing.text : "";
}
