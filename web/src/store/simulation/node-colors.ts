// Attributes of nodes as colours: which there are, what each node has, and the scale.
import type { SignalData } from "../../wire/messages.ts";
import { signalValues } from "./signals.ts";

/** What several nodes have a number of: temperatures of motors, loads of carts. */
export interface Family {
  /** The last part of the signals' names. */
  name: string;
  unit: string;
  /** Signals by the node that they belong to. */
  signals: ReadonlyMap<string, string>;
}

/** Numbers that nodes have, by the last part of their names; those of people first. */
export function families(table: readonly SignalData[]): Family[] {
  const found = new Map<string, { name: string; unit: string; signals: Map<string, string> }>();
  for (const { name, unit, size } of table) {
    const at = name.lastIndexOf(".");
    if (size !== 1 || at <= 0) continue;
    const [node, attribute] = [name.slice(0, at), name.slice(at + 1)];
    const key = `${attribute} [${unit}]`;
    const family = found.get(key) ?? { name: attribute, unit, signals: new Map() };
    family.signals.set(node, name);
    found.set(key, family);
  }
  const rank = ({ name }: Family): number => USUAL.indexOf(name);
  return [...found.values()].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** What every joint has comes last. */
const USUAL = ["temperature", "current", "effort", "velocity", "position", "target"];

/** Scales that mean something by themselves, by unit; wider where values are beyond. */
const FIRST: Record<string, readonly [number, number]> = { "°C": [20, 80] };

export const keyOf = ({ name, unit }: Pick<Family, "name" | "unit">): string => `${name} [${unit}]`;

export class NodeColors {
  /** What is shown, as `keyOf` names it; null: nothing. */
  chosen: string | null = null;
  /** The least and greatest value that was seen since it was chosen. */
  range: readonly [number, number] | null = null;

  constructor(
    private readonly table: () => readonly SignalData[],
    private readonly changed: () => void,
    /** The numbers of the last frame. */
    private readonly numbers: () => Float64Array | null = () => null,
  ) {}

  get families(): Family[] {
    return families(this.table());
  }
  get family(): Family | null {
    return this.families.find((one) => keyOf(one) === this.chosen) ?? null;
  }

  choose(key: string | null): void {
    this.chosen = key;
    this.range = null;
    // the scale is there at once, also while it rests
    this.shares(this.numbers() ?? new Float64Array());
    this.changed();
  }

  /** The value of every node that has one, and its share of the scale, 0 to 1. */
  shares(numbers: Float64Array): Map<string, { value: number; share: number }> {
    const { family } = this;
    const values = family && signalValues(this.table(), numbers);
    const found = new Map<string, number>();
    if (!family || !values) return new Map();
    for (const [node, signal] of family.signals) {
      const value = values.get(signal)?.[0] ?? NaN;
      if (Number.isFinite(value)) found.set(node, value);
    }
    if (!found.size) return new Map();
    const [low, high] = this.range ?? FIRST[family.unit] ?? [Infinity, -Infinity];
    const next = [Math.min(low, ...found.values()), Math.max(high, ...found.values())] as const;
    this.range = next;
    const span = next[1] - next[0];
    return new Map(
      [...found].map(([node, value]) => [
        node,
        { value, share: span > 0 ? (value - next[0]) / span : 0.5 },
      ]),
    );
  }

  forget(): void {
    this.range = null;
  }
}
