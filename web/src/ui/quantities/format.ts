// Numbers as people read and type them: lengths in the file's habit, angles in degrees.

export { sentence } from "../../kernel/reasons.ts";

export type Quantity = "angle" | "length" | "number";
export type LengthUnit = "mm" | "m";

const DEGREE = Math.PI / 180;
/** Units that can be typed: what they measure, and how many SI units they are. */
export const FACTORS: Record<string, [Quantity, number]> = {
  m: ["length", 1],
  mm: ["length", 1e-3],
  cm: ["length", 1e-2],
  um: ["length", 1e-6],
  µm: ["length", 1e-6],
  km: ["length", 1e3],
  in: ["length", 0.0254],
  ft: ["length", 0.3048],
  rad: ["angle", 1],
  mrad: ["angle", 1e-3],
  deg: ["angle", DEGREE],
  "°": ["angle", DEGREE],
  turn: ["angle", 2 * Math.PI],
  rev: ["angle", 2 * Math.PI],
};

/** The unit in which a file gives its lengths: millimetres if it says so or is small. */
export function lengthUnit(text: string, size: number): LengthUnit {
  const millimetres = text.match(/\d\s*mm\b/g)?.length ?? 0;
  if (millimetres > 0) return "mm";
  return size > 0 && size < 2.5 ? "mm" : "m";
}

export function unitOf(quantity: Quantity, length: LengthUnit): string {
  return quantity === "angle" ? "°" : quantity === "length" ? length : "";
}

/** How many SI units one shown unit is. */
export function factorOf(quantity: Quantity, length: LengthUnit): number {
  if (quantity === "angle") return DEGREE;
  return quantity === "length" && length === "mm" ? 1e-3 : 1;
}

/** The number alone, rounded as its unit deserves, without trailing zeros. */
export function shown(value: number, quantity: Quantity, length: LengthUnit, extra = 0): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const number = value / factorOf(quantity, length);
  const places =
    (quantity === "angle" ? 1 : quantity === "length" && length === "mm" ? 1 : 4) + extra;
  const text = number.toFixed(places);
  const trimmed = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return trimmed === "-0" ? "0" : trimmed.replace("-", "−");
}

/** The same number of digits each time, for read-outs that change quickly. */
export function steady(value: number, quantity: Quantity, length: LengthUnit): string {
  if (!Number.isFinite(value)) return "–";
  const places = quantity === "angle" || (quantity === "length" && length === "mm") ? 1 : 3;
  const text = (value / factorOf(quantity, length)).toFixed(places);
  return (/^-0\.?0*$/.test(text) ? text.slice(1) : text).replace("-", "−");
}

export function withUnit(value: number, quantity: Quantity, length: LengthUnit): string {
  const unit = unitOf(quantity, length);
  const number = shown(value, quantity, length);
  return unit === "°" ? `${number}°` : unit ? `${number} ${unit}` : number;
}

/** A value in the unit that somebody typed; in the usual one where that was none. */
export function inUnit(
  value: number,
  quantity: Quantity,
  length: LengthUnit,
  unit: string | null,
): string {
  const factor = unit === null ? undefined : FACTORS[unit];
  if (!factor || unit === "°" || unit === "deg") return withUnit(value, quantity, length);
  const number = String(Number((value / factor[1]).toPrecision(4)) || 0).replace("-", "−");
  return `${number} ${unit}`;
}

/** A small length in the unit that keeps it readable. */
export function gapText(metres: number): string {
  if (!Number.isFinite(metres)) return "–";
  if (metres >= 1e-3) return `${(metres * 1e3).toPrecision(3)} mm`;
  if (metres >= 1e-4) return `${(metres * 1e6).toFixed(0)} µm`;
  return metres < 1e-9 ? "0 µm" : `${(metres * 1e6).toPrecision(2)} µm`;
}

/** A length of parts that fit or do not: millimetres down to hundredths, then micrometres. */
export function fineText(metres: number): string {
  if (!Number.isFinite(metres)) return "–";
  const digits = (x: number): string => String(Number(x.toPrecision(3)));
  if (metres >= 1e-5) return `${digits(metres * 1e3)} mm`;
  return metres < 1e-9 ? "0 mm" : `${digits(metres * 1e6)} µm`;
}

/** A matrix entry: short, aligned. */
export function cell(value: number): string {
  const text = value.toFixed(3);
  return (text === "-0.000" ? "0.000" : text).replace("-", "−");
}

/** An angle brought into (−π, π]. */
export function wrapped(angle: number): number {
  const turns = angle - 2 * Math.PI * Math.floor((angle + Math.PI) / (2 * Math.PI));
  return turns === -Math.PI ? Math.PI : turns;
}

export function timeText(seconds: number): string {
  return `${seconds.toFixed(2)} s`;
}

/** How long ago, in words. */
export function ago(seconds: number): string {
  if (seconds < 90) return "just now";
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} days ago`;
}

/** A whole number with a proper minus. */
export function minus(value: number): string {
  return `${value}`.replace("-", "−");
}

/** The size of a file: '175 kB', '1.4 MB'. */
export function bytesText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
