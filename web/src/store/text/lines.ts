// Texts compared and merged line by line, as the studio does it (kinegen/studio/session/files/merge.py).
import { MERGE_LOOKS, MERGE_PAIRS } from "../../wire/limits.ts";

/** Lines [a0, a1) of one text that stand where the other has [b0, b1). */
export interface Span {
  a0: number;
  a1: number;
  b0: number;
  b1: number;
}

type Pair = readonly [number, number];

/** The text with both changes of a base; null where they touch the same lines in different ways. */
export function merge(base: string, mine: string, theirs: string): string | null {
  if (mine === base || mine === theirs) return theirs;
  if (theirs === base) return mine;
  const [old, ours, others] = [base, mine, theirs].map((text) => text.split("\n")) as [
    string[],
    string[],
    string[],
  ];
  const left = differences(old, ours);
  const right = differences(old, others);
  const made: string[] = [];
  let [at, i, j] = [0, 0, 0];
  while (i < left.length || j < right.length) {
    const isTheirs = i === left.length || (j < right.length && isBefore(right[j], left[i]));
    const span = isTheirs ? right[j++] : left[i++];
    const other = isTheirs ? left[i] : right[j];
    const lines = (isTheirs ? others : ours).slice(span.b0, span.b1);
    if (other && doCollide(span, other)) {
      const same = (isTheirs ? ours : others).slice(other.b0, other.b1);
      const isSame = span.a0 === other.a0 && span.a1 === other.a1;
      if (!isSame || same.join("\n") !== lines.join("\n") || same.length !== lines.length)
        return null;
      if (isTheirs) i += 1;
      else j += 1;
    }
    for (; at < span.a0; at++) made.push(old[at]);
    for (const line of lines) made.push(line);
    at = span.a1;
  }
  return made.concat(old.slice(at)).join("\n");
}

function isBefore(a: Span, b: Span): boolean {
  return a.a0 < b.a0 || (a.a0 === b.a0 && a.a1 < b.a1);
}

function doCollide(a: Span, b: Span): boolean {
  return (a.a0 < b.a1 && b.a0 < a.a1) || (a.a0 === b.a0 && a.a1 === b.a1);
}

/** Where two lists of lines differ, in order. */
export function differences(a: readonly string[], b: readonly string[]): Span[] {
  const spans: Span[] = [];
  let [x, y] = [0, 0];
  for (const [i, j] of [...matches(a, b), [a.length, b.length] as Pair]) {
    if (i > x || j > y) spans.push({ a0: x, a1: i, b0: y, b1: j });
    [x, y] = [i + 1, j + 1];
  }
  return spans;
}

/** Pairs of equal lines, growing in both: by lines that both have once (patience diff). */
function matches(a: readonly string[], b: readonly string[]): Pair[] {
  const found: Pair[] = [];
  const todo: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  let left = MERGE_LOOKS * (a.length + b.length) + MERGE_PAIRS;
  for (let next = todo.pop(); next; next = todo.pop()) {
    let [a0, a1, b0, b1] = next;
    while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) found.push([a0++, b0++]);
    while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) found.push([--a1, --b1]);
    if (a0 === a1 || b0 === b1) continue;
    left -= a1 - a0 + b1 - b0;
    const marks = left > 0 ? landmarks(a, b, a0, a1, b0, b1) : [];
    const pairs = (a1 - a0) * (b1 - b0);
    if (!marks.length && pairs <= Math.min(left, MERGE_PAIRS)) {
      left -= pairs;
      found.push(...common(a, b, a0, a1, b0, b1));
    }
    for (let n = 0; marks.length && n <= marks.length; n++) {
      const [x0, y0] = marks[n - 1] ?? [a0, b0];
      const [x1, y1] = marks[n] ?? [a1, b1];
      todo.push([x0, x1, y0, y1]);
    }
  }
  return found.sort((one, other) => one[0] - other[0]);
}

/** Lines that stand once in both: the longest chain of them that grows in both. */
function landmarks(
  a: readonly string[],
  b: readonly string[],
  a0: number,
  a1: number,
  b0: number,
  b1: number,
): Pair[] {
  const once = (lines: readonly string[], from: number, to: number): Map<string, number> => {
    const places = new Map<string, number>();
    for (let n = from; n < to; n++) places.set(lines[n], places.has(lines[n]) ? -1 : n);
    return places;
  };
  const [mine, theirs] = [once(a, a0, a1), once(b, b0, b1)];
  const pairs: Pair[] = [];
  for (const [line, n] of mine) {
    const place = theirs.get(line) ?? -1;
    if (n >= 0 && place >= 0) pairs.push([n, place]);
  }
  const tops: number[] = [];
  const before: number[] = [];
  pairs.forEach(([, place], n) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]][1] < place) low = middle + 1;
      else high = middle;
    }
    before.push(low ? tops[low - 1] : -1);
    tops[low] = n;
  });
  const chain: Pair[] = [];
  for (let n = tops.at(-1) ?? -1; n >= 0; n = before[n]) chain.push(pairs[n]);
  return chain.reverse();
}

/** Pairs of equal lines of a longest common run of two short stretches. */
function common(
  a: readonly string[],
  b: readonly string[],
  a0: number,
  a1: number,
  b0: number,
  b1: number,
): Pair[] {
  const [rows, columns] = [a1 - a0, b1 - b0];
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i][j] =
        a[a0 + i] === b[b0 + j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const found: Pair[] = [];
  for (let i = 0, j = 0; i < rows && j < columns;)
    if (a[a0 + i] === b[b0 + j]) found.push([a0 + i++, b0 + j++]);
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  return found;
}

/** A row of two texts side by side; a gap stands for equal lines that are left out. */
export type Row =
  | { kind: "same" | "differs"; mine: Line | null; theirs: Line | null }
  | { kind: "gap"; count: number };

export interface Line {
  number: number;
  text: string;
}

/** Two texts side by side, with some equal lines around each difference. */
export function sideBySide(mine: string, theirs: string, around = 3): Row[] {
  const [a, b] = [mine.split("\n"), theirs.split("\n")];
  const rows: Row[] = [];
  const line = (lines: string[], n: number, end: number): Line | null =>
    n < end ? { number: n + 1, text: lines[n] } : null;
  const same = (x: number, y: number, count: number, isFirst: boolean, isLast: boolean): void => {
    const head = isFirst ? 0 : around;
    const tail = isLast ? 0 : around;
    const isLong = count > head + tail + 1;
    for (let n = 0; n < count; n++) {
      if (isLong && n === head) {
        rows.push({ kind: "gap", count: count - head - tail });
        n = count - tail;
        if (n >= count) break;
      }
      rows.push({
        kind: "same",
        mine: line(a, x + n, x + count),
        theirs: line(b, y + n, y + count),
      });
    }
  };
  let [x, y] = [0, 0];
  for (const { a0, a1, b0, b1 } of differences(a, b)) {
    same(x, y, a0 - x, x === 0, false);
    for (let n = 0; n < Math.max(a1 - a0, b1 - b0); n++)
      rows.push({ kind: "differs", mine: line(a, a0 + n, a1), theirs: line(b, b0 + n, b1) });
    [x, y] = [a1, b1];
  }
  same(x, y, a.length - x, x === 0, true);
  return rows;
}
