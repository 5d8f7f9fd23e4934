// Places as text: one per line, two or three numbers in the shown unit.
import type { Place } from "../../store/design/data.ts";
import { factorOf, type LengthUnit, shown } from "../quantities/format.ts";

/** Points that a search may pass. */
export const MOST = 200;

export function pointsText(points: readonly Place[], length: LengthUnit): string {
  return points
    .map((place) => place.map((x) => shown(x, "length", length, 2).replace("−", "-")).join(", "))
    .join("\n");
}

/** The places of a text, or what is wrong with it; a missing z is taken from elsewhere [m]. */
export function readPoints(text: string, length: LengthUnit, z: number): Place[] | string {
  const factor = factorOf("length", length);
  const found: Place[] = [];
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    const words = line.split(/[\s,;]+/).filter((word) => word !== "");
    if (words.length === 0) continue;
    const numbers = words.map((word) => Number(word.replace("−", "-")));
    if (words.length < 2 || words.length > 3 || numbers.some((x) => !Number.isFinite(x)))
      return `line ${i + 1}: a point needs two or three numbers [${length}], not '${line.trim()}'`;
    const [x, y] = numbers.map((one) => one * factor);
    found.push([x, y, words.length === 3 ? numbers[2] * factor : z]);
  }
  if (found.length < 2) return "at least two points are needed";
  if (found.length > MOST) return `${found.length} points are too many: the limit is ${MOST}`;
  return found;
}

/** About so many of some places, evenly taken; both ends of an open curve stay. */
export function thinned(flat: ArrayLike<number>, most: number, closed: boolean): Place[] {
  const count = Math.floor(flat.length / 3);
  const wanted = Math.min(most, count);
  return Array.from({ length: wanted }, (_, k): Place => {
    const share = closed ? k / wanted : k / Math.max(1, wanted - 1);
    const i = Math.round(share * (closed ? count : count - 1)) % count;
    return [flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]];
  }).filter((place) => place.every(Number.isFinite));
}
