// Values of signals as people read and type them.
import type { SignalData } from "../../wire/messages.ts";
import type { How } from "../../store/simulation/signals.ts";
import { readTyped } from "../expression.ts";
import type { Quantity } from "../format.ts";

/** Numbers of a signal that are written out. */
const SHOWN = 3;
/** Digits of a number that stands alone, and of several side by side. */
const ALONE = 4;
const TOGETHER = 3;

/** Less is what rounding leaves of nothing. */
const NOTHING = 1e-9;

const number = (value: number, digits: number): string => {
  if (!Number.isFinite(value)) return "–";
  const shown = Math.abs(value) < NOTHING ? 0 : Number(value.toPrecision(digits));
  return String(shown).replaceAll("-", "−");
};

/** A signal's value with its unit: '1.66 m', '0, 0, 9.81 m/s²', '–' where there is none. */
export function valueText(values: ArrayLike<number> | undefined, unit: string): string {
  if (!values) return "–";
  const digits = values.length > 1 ? TOGETHER : ALONE;
  const shown = Array.from(values)
    .slice(0, SHOWN)
    .map((one) => number(one, digits));
  if (values.length > SHOWN) shown.push("…");
  return [shown.join(", "), unit].filter(Boolean).join(" ");
}

const QUANTITIES: Record<string, Quantity> = { m: "length", rad: "angle" };

/** What a number that goes with an override means; null where it needs none. */
export function asksFor(how: How, { unit }: Pick<SignalData, "unit">): string | null {
  const inUnit = unit ? ` [${unit}]` : "";
  switch (how) {
    case "force":
      return `Value${inUnit}`;
    case "scale":
      return "Factor";
    case "delay":
      return "Delay [s]";
    case "noise":
      return `Standard deviation${inUnit}`;
    default:
      return null;
  }
}

/** What a typed number can be of: of a length or an angle other units are understood too. */
const typedQuantity = (how: How, unit: string): Quantity | undefined =>
  how === "force" || how === "noise" ? QUANTITIES[unit] : undefined;

/** A typed number in the signal's unit: '0.05' and '5 cm' are the same for one in metres. */
export function readValue(text: string, how: How, unit: string): number | null {
  const typed = readTyped(text, "number", "m");
  if (typed === null || typed.unit === null) return typed?.value ?? null;
  const quantity = typedQuantity(how, unit);
  return quantity ? (readTyped(text, quantity, "m")?.value ?? null) : null;
}

/** What is wanted where something else was typed. */
export function wantedText(how: How, unit: string): string {
  const quantity = typedQuantity(how, unit);
  if (quantity) return `Type a number in ${unit}, or one with a unit of ${quantity}`;
  const own = how === "delay" ? "s" : how === "scale" ? "" : unit;
  return own ? `Type a number in ${own}, without a unit` : "Type a number";
}
