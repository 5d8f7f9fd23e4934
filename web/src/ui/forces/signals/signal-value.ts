// Values of signals as people read and type them.
import type { SignalData, SignalOverride } from "../../../wire/messages.ts";
import type { Override } from "../../../store/simulation/signals.ts";
import { readTyped } from "../../quantities/expression.ts";
import type { Quantity } from "../../quantities/format.ts";

export { valueText } from "../../../store/simulation/signal-text.ts";

/** The ways in which a signal is overridden. */
export type How = Exclude<SignalOverride["kind"], "release_signal">;

const QUANTITIES: Record<string, Quantity> = { m: "length", rad: "angle" };

/** What a number that goes with an override means; null where it needs none. */
export function asksFor(how: How, { unit }: Pick<SignalData, "unit">): string | null {
  const inUnit = unit ? ` [${unit}]` : "";
  switch (how) {
    case "force_signal":
      return `Value${inUnit}`;
    case "scale_signal":
      return "Factor";
    case "delay_signal":
      return "Delay [s]";
    case "disturb_signal":
      return `Standard deviation${inUnit}`;
    default:
      return null;
  }
}

/** The override with its number, which some need. */
export function overrideOf(how: How, value: number): Override {
  switch (how) {
    case "force_signal":
      return { kind: how, value };
    case "scale_signal":
      return { kind: how, factor: value };
    case "delay_signal":
      return { kind: how, time: value };
    case "disturb_signal":
      return { kind: how, deviation: value };
    default:
      return { kind: how };
  }
}

/** What a typed number can be of: of a length or an angle other units are understood too. */
const typedQuantity = (how: How, unit: string): Quantity | undefined =>
  how === "force_signal" || how === "disturb_signal" ? QUANTITIES[unit] : undefined;

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
  const own = how === "delay_signal" ? "s" : how === "scale_signal" ? "" : unit;
  return own ? `Type a number in ${own}, without a unit` : "Type a number";
}
