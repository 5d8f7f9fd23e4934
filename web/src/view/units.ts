// Numbers with their units, as people read them.
import type { Settings } from "../store/settings.ts";

/** A length in the unit the user chose. */
export function lengthText(metres: number, unit: Settings["lengthUnit"]): string {
  if (Math.abs(metres) < 1e-10) return `0 ${unit}`;
  if (unit === "m") return `${digits(metres)} m`;
  return Math.abs(metres) < 1e-4 ? `${digits(metres * 1e6)} µm` : `${digits(metres * 1000)} mm`;
}

/** An angle or a length in the unit the user chose. */
export function valueText(
  value: number,
  unit: "rad" | "m",
  settings: Pick<Settings, "lengthUnit" | "angleUnit">,
): string {
  if (unit === "m") return lengthText(value, settings.lengthUnit);
  if (settings.angleUnit === "rad") return `${digits(value)} rad`;
  return `${digits((value * 180) / Math.PI)}°`;
}

/** A speed (order 1) or an acceleration (order 2) in the unit the user chose. */
export function rateText(
  value: number,
  unit: "rad" | "m",
  order: 1 | 2,
  settings: Pick<Settings, "lengthUnit" | "angleUnit">,
): string {
  const per = order === 1 ? "/s" : "/s²";
  if (unit === "m")
    return settings.lengthUnit === "m"
      ? `${digits(value)} m${per}`
      : `${Math.round(1000 * value)} mm${per}`;
  if (settings.angleUnit === "rad") return `${digits(value)} rad${per}`;
  return `${Math.round((value * 180) / Math.PI)}°${per}`;
}

/** A force, in kilonewtons where it is large. */
export function forceText(newtons: number): string {
  return Math.abs(newtons) >= 1e4 ? `${digits(newtons / 1000)} kN` : `${steady(newtons)} N`;
}

/** A torque. */
export function torqueText(value: number): string {
  return Math.abs(value) >= 1e4 ? `${digits(value / 1000)} kN m` : `${steady(value)} N m`;
}

/** Always as many places, for numbers that change quickly. */
function steady(value: number): string {
  const size = Math.abs(value);
  const places = size >= 100 ? 0 : size >= 1 ? 1 : size >= 0.01 || size === 0 ? 2 : 3;
  return (size < 5e-4 ? 0 : value).toFixed(places).replace("-", "−");
}

/** Three digits, more only before the point. */
function digits(value: number): string {
  // rounding leaves traces
  if (Math.abs(value) < 1e-9) return "0";
  if (Math.abs(value) >= 100) return Math.round(value).toString().replace("-", "−");
  return Number(value.toPrecision(3)).toString().replace("-", "−");
}
