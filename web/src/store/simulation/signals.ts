// Signals of a running world: their values, which are charted, and what people do to them.
import type { FromPage, OverrideSignal, SignalData } from "../../wire/messages.ts";

export type How = OverrideSignal["how"];

/** Signals with more numbers are not charted. */
export const MOST_CURVES = 12;

/** The numbers of all signals by name; null where they belong to another table. */
export function signalValues(
  table: readonly SignalData[],
  numbers: Float64Array,
): Map<string, Float64Array> | null {
  const found = new Map<string, Float64Array>();
  let at = 0;
  for (const { name, size } of table) found.set(name, numbers.subarray(at, (at += size)));
  return at === numbers.length ? found : null;
}

export class Signals {
  /** Names of those in the chart. */
  charted: ReadonlySet<string> = new Set();
  /** How often somebody asked for a chart of one. */
  asked = 0;

  constructor(
    private readonly send: (message: FromPage) => boolean,
    private readonly changed: () => void,
    private readonly list: () => readonly SignalData[],
  ) {}

  get table(): readonly SignalData[] {
    return this.list();
  }
  /** Those that readers do not get as they are written. */
  get overridden(): SignalData[] {
    return this.table.filter(({ override }) => override !== "");
  }

  override(name: string, how: How, value = 0, offset = 0): void {
    this.send({ kind: "override_signal", name, how, value, offset });
  }

  /** Lets readers get again what is written; all signals without a name. */
  release(name = ""): void {
    this.override(name, "release");
  }

  /** Puts a signal into the chart, or takes it out. */
  chart(name: string): void {
    const others = [...this.charted].filter((one) => one !== name);
    this.charted = new Set(this.charted.has(name) ? others : [...others, name]);
    if (this.charted.has(name)) this.asked += 1;
    this.changed();
  }

  forget(): void {
    this.charted = new Set();
  }
}
