// Values of signals as people read and type them.
import type { SignalData } from "../../wire/messages.ts";
import type { How } from "../../store/simulation/signals.ts";
import { readTyped } from "../expression.ts";
import type { Quantity } from "../format.ts";

/** Numbers of a signal that are written out. */
const SHOWN = 4;

const number = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(4))).replace("-", "−") : "–";

/** A signal's value with its unit: '1.66 m', '0, 0, 9.81 m/s²', '–' where there is none. */
export function valueText(values: ArrayLike<number> | undefined, unit: string): string {
  if (!values) return "–";
  const shown = Array.from(values).slice(0, SHOWN).map(number);
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

/** A typed number in the signal's unit: '0.05' and '5 cm' are the same for one in metres. */
export function readValue(text: string, how: How, unit: string): number | null {
  const typed = readTyped(text, "number", "m");
  if (typed === null || typed.unit === null) return typed?.value ?? null;
  const quantity = how === "force" || how === "noise" ? QUANTITIES[unit] : undefined;
  return quantity ? (readTyped(text, quantity, "m")?.value ?? null) : null;
}
