// What a simulation is at, in words and numbers.
import { SHOWN_CLOSED } from "../../kernel/tables/tolerances.ts";
import type { LiveFrame } from "../../wire/frames.ts";
import { gapText } from "../quantities/format.ts";

/** Energies below this are rounding [J]. */
const NOTHING = 1e-12;

/** How well loops close, the widest so far. */
export function closedText(gap: number): string {
  return gap < 1e-9 ? "< 0.001 µm" : gapText(gap);
}

/** Share of the energy in motion that no force gave. */
export function driftText({ drift, scale }: Pick<LiveFrame, "drift" | "scale">): string {
  const share = scale > NOTHING ? (100 * drift) / scale : 0;
  if (share >= 10) return `${share.toFixed(0)} %`;
  return share >= 0.005 ? `${share.toFixed(2)} %` : "0.00 %";
}

/** Whether nobody need worry about a mechanism of this size [m]. */
export function isSound({ widest_gap, drift, scale }: LiveFrame, size: number): boolean {
  return widest_gap <= SHOWN_CLOSED * size && (scale <= NOTHING || drift <= 0.001 * scale);
}

/** An energy in the unit that keeps it readable. */
export function energyText(joules: number): string {
  const size = Math.abs(joules);
  const [value, unit] =
    size >= 1e4
      ? large(joules)
      : size < 1e-9
        ? [0, "J"]
        : size >= 0.1
          ? [joules, "J"]
          : size >= 1e-4
            ? [joules * 1e3, "mJ"]
            : [joules * 1e6, "µJ"];
  const places = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = value.toFixed(places);
  return `${(/^-0\.?0*$/.test(text) ? text.slice(1) : text).replace("-", "−")} ${unit}`;
}

function large(joules: number): [number, string] {
  const units = ["kJ", "MJ", "GJ", "TJ"];
  const step = Math.min(units.length, Math.floor(Math.log10(Math.abs(joules)) / 3));
  return [joules / 1000 ** step, units[step - 1]];
}

/** Whether no force has moved it at all: a reader may wonder. */
export function isStill({ time, scale }: Pick<LiveFrame, "time" | "scale">): boolean {
  return time > 0.3 && scale <= NOTHING;
}

/** A spring of a hand. */
export function stiffnessText(k: number): string {
  return k >= 1e4 ? `${(k / 1e3).toFixed(1)} kN/m` : `${Number(k.toPrecision(3))} N/m`;
}

/** How fast it runs, as a share of what was asked; null while it keeps up. */
export function lagText(pace: number, speed: number): string | null {
  return pace > 0 && pace < 0.8 * speed
    ? `As fast as this computer allows: ${pace.toFixed(2)} s simulated per second`
    : null;
}
