// What people type into a field of one number: '90', '90 deg', 'pi/2', '1/4 turn', '2*45 deg'.
import { FACTORS, factorOf, type LengthUnit, type Quantity } from "./format.ts";

/** A value on the way, in SI; plain ones have no dimension yet. */
interface Term {
  value: number;
  kind: Quantity | "plain";
}

/** A typed number: its value in SI, and the unit it was typed in. */
export interface Typed {
  value: number;
  unit: string | null;
}

const FUNCTIONS: Record<string, (x: number) => number> = {
  sqrt: Math.sqrt,
  abs: Math.abs,
};
/** Turns per minute are a speed of their own; others are units with '/s'. */
const RPM = Math.PI / 30;

class Refused extends Error {}

/** What was typed, in SI; null where it is not one number of this quantity. */
export function readTyped(
  text: string,
  quantity: Quantity,
  length: LengthUnit,
  isRate = false,
): Typed | null {
  const reader = new Reader(text.replace(/,/g, ".").replace(/−/g, "-"), isRate);
  try {
    const { value, kind } = reader.all();
    if (!Number.isFinite(value)) return null;
    if (kind === "plain") {
      // multiples of pi are radians, whatever the field shows
      const isTurn = quantity === "angle" && reader.hasPi;
      return { value: isTurn ? value : value * factorOf(quantity, length), unit: null };
    }
    if (kind !== quantity && quantity !== "number") return null;
    return { value, unit: reader.unit };
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

/**
 * What was typed where a formula is allowed: a number in SI, or text for the file. What has a unit
 * of its own is text, so that the file and every message have that unit; so has a formula.
 */
export function readFormula(text: string, quantity: Quantity, length: LengthUnit): number | string {
  const plain = text.trim().replace(/−/g, "-");
  const typed = readTyped(plain, quantity, length);
  if (typed === null) return plain;
  // a comma is a decimal point here, and nothing in a file
  return typed.unit === null ? typed.value : plain.replace(/,/g, ".").replace(/·/g, "*");
}

class Reader {
  hasPi = false;
  unit: string | null = null;
  private readonly tokens: string[];

  constructor(
    text: string,
    private readonly isRate: boolean,
  ) {
    const found = text.match(/\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|[a-zµπ°]+|\S/gi);
    this.tokens = found ?? [];
  }

  all(): Term {
    const term = this.sum();
    if (this.tokens.length) throw new Refused();
    return term;
  }

  private take(...which: string[]): string | null {
    return which.includes(this.tokens[0] ?? "") ? this.tokens.shift()! : null;
  }

  private sum(): Term {
    let left = this.product();
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      const right = this.product();
      if (left.kind !== right.kind) throw new Refused();
      left = { ...left, value: left.value + (sign === "+" ? right.value : -right.value) };
    }
    return left;
  }

  /** A unit belongs to all before it: '1/4 turn' is a quarter of a turn. */
  private product(): Term {
    let left = this.withUnit(this.power());
    for (let sign = this.take("*", "/", "·"); sign; sign = this.take("*", "/", "·")) {
      const right = this.power();
      if (right.kind !== "plain" && (sign === "/" || left.kind !== "plain")) throw new Refused();
      const value = sign === "/" ? left.value / right.value : left.value * right.value;
      left = this.withUnit({ value, kind: left.kind === "plain" ? right.kind : left.kind });
    }
    return left;
  }

  private withUnit(term: Term): Term {
    const name = this.tokens[0] ?? "";
    const isRpm = this.isRate && name === "rpm";
    const factor = isRpm ? (["angle", RPM] as const) : FACTORS[name];
    if (!factor) return term;
    if (term.kind !== "plain") throw new Refused();
    this.tokens.shift();
    // '/s' is said or not, where a field is about speed
    if (this.isRate && !isRpm && this.tokens[0] === "/" && this.tokens[1] === "s")
      this.tokens.splice(0, 2);
    this.unit = name;
    return { value: term.value * factor[1], kind: factor[0] };
  }

  private power(): Term {
    const base = this.atom();
    if (!this.take("^")) return base;
    const exponent = this.power();
    if (base.kind !== "plain" || exponent.kind !== "plain") throw new Refused();
    return { value: base.value ** exponent.value, kind: "plain" };
  }

  private atom(): Term {
    const token = this.tokens.shift();
    if (token === undefined) throw new Refused();
    if (token === "-" || token === "+") {
      const term = this.power();
      return token === "-" ? { ...term, value: -term.value } : term;
    }
    if (token === "(") {
      const term = this.sum();
      if (!this.take(")")) throw new Refused();
      return term;
    }
    if (/^[\d.]/.test(token)) return { value: Number(token), kind: "plain" };
    const name = token.toLowerCase();
    if (name === "pi" || name === "π") {
      this.hasPi = true;
      return { value: Math.PI, kind: "plain" };
    }
    const call = FUNCTIONS[name];
    if (!call || this.tokens[0] !== "(") throw new Refused();
    const { value, kind } = this.atom();
    if (kind !== "plain") throw new Refused();
    return { value: call(value), kind };
  }
}
