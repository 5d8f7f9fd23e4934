// Signals of a running world: their values, which are charted, and what people do to them.
import type { FromPage, SignalData, SignalOverride } from "../../wire/messages.ts";

/** What a message says besides the signal's name and its own kind. */
type Said<O> = O extends SignalOverride ? Omit<O, "name"> : never;
/** What readers of a signal get instead of what is written. */
export type Override = Said<SignalOverride>;

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

  override(name: string, override: Override): void {
    this.send({ ...override, name });
  }

  /** Lets readers get again what is written. */
  release(name: string): void {
    this.send({ kind: "release_signal", name });
  }
  releaseAll(): void {
    this.send({ kind: "release_signals" });
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
