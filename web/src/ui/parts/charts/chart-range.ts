// What a chart's axis spans. Left alone, uPlot never ends counting ticks between 90 and 90 + 1e-10.

/** What varies by less than this share of itself is level: rounding, no curve. */
const LEVEL = 1e-7;
/** What is level is shown in the middle of this share of itself, either way. */
const AROUND = 0.1;
/** Margin above and below a curve, as a share of its height. */
const MARGIN = 0.1;

/** Ends of an axis; null where nothing is shown. */
export type Span = [number, number] | [null, null];

/** The span of an axis from its lowest to its highest value, wide enough to be counted out. */
export function wideSpan(low: number | null, high: number | null): Span {
  if (low === null || high === null) return [null, null];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > LEVEL * size) return [low, high];
  const middle = (low + high) / 2;
  const half = AROUND * size || 1;
  return [middle - half, middle + half];
}

/** The same with a margin, for an axis that stands upright. */
export function roomySpan(low: number | null, high: number | null): Span {
  const span = wideSpan(low, high);
  if (span[0] === null || span[1] === null) return span;
  const margin = MARGIN * (span[1] - span[0]);
  return [span[0] - margin, span[1] + margin];
}
