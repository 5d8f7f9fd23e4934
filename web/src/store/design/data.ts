// Goals, ranges and designs: what a search for a design is asked and what it finds.
import type { DesignFoundPiece } from "../../wire/messages.ts";

export type Place = [number, number, number];

/** A parameter that may change. */
export interface FreeParameter {
  on: boolean;
  low: number;
  high: number;
}

/** Places to be passed in turn. */
export interface TargetCurve {
  title: string;
  /** Where it comes from. */
  note?: string;
  points: Place[];
  closed: boolean;
}

/** Where a start has led. */
export interface FoundDesign extends Omit<DesignFoundPiece, "kind"> {
  /** Configurations in turn. */
  motion: Float64Array[];
}

/** What is drawn beside the mechanism. */
export interface DesignPreview {
  parameters: Record<string, number>;
  motion: Float64Array[];
}

export const CLICKED = "Clicked points";

/** A range to search: as the file says, else a third to three times, else as large as it is. */
export function rangeOf(
  value: number,
  given: { minimum: number | null; maximum: number | null; quantity: string },
  size: number,
): [number, number] {
  const { minimum, maximum, quantity } = given;
  if (minimum !== null && maximum !== null) return [minimum, maximum];
  if (quantity === "angle") return [minimum ?? -Math.PI, maximum ?? Math.PI];
  const [a, b] = value === 0 ? [-2 * size, 2 * size] : [value / 3, value * 3];
  const [low, high] = [minimum ?? Math.min(a, b), maximum ?? Math.max(a, b)];
  return [round2(low), round2(high)];
}

/** Whether a parameter that may change has no room to. */
export const isReversed = ({ on, low, high }: FreeParameter): boolean => on && low >= high;

/** Distances below this are none [m]. */
const NOTHING = 1e-9;

/** Designs that go through in one motion first, then by distance, then by clearance. */
export function better(a: FoundDesign, b: FoundDesign): number {
  const far = (one: FoundDesign): number => (one.worst < NOTHING ? 0 : one.worst);
  const clear = (one: FoundDesign): number => one.clearance ?? Infinity;
  const isFirst = Number(b.connected) - Number(a.connected) || far(a) - far(b);
  return isFirst || (clear(a) === clear(b) ? a.start - b.start : clear(b) - clear(a));
}

/** Whether the step from the last place to the first is like the others: it goes round. */
export function isRound(places: readonly Place[]): boolean {
  if (places.length < 3) return false;
  const step = (a: Place, b: Place): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  const longest = Math.max(...places.slice(1).map((place, i) => step(place, places[i])));
  return step(places[0], places[places.length - 1]) <= 1.5 * longest;
}

/** Rows of a flat array. */
export function rowsOf(numbers: Float64Array, width: number): Float64Array[] {
  return Array.from({ length: Math.floor(numbers.length / width) }, (_, i) =>
    numbers.slice(i * width, (i + 1) * width),
  );
}

/** Two digits are enough for the end of a range. */
const round2 = (x: number): number => Number(x.toPrecision(2));
