// The smallest replacements that turn one text into another, so that cursors stay put.
import { differences } from "../../store/text/lines.ts";

export interface Replacement {
  from: number;
  to: number;
  insert: string;
}

/** What differs between the common beginning and the common end; null where nothing does. */
export function replacement(before: string, after: string): Replacement | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < shorter - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  return { from: head, to: before.length - tail, insert: after.slice(head, after.length - tail) };
}

/** Replacements for each stretch of lines that differs, within it only what does. */
export function replacements(before: string, after: string): Replacement[] {
  if (before === after) return [];
  const old = before.split("\n");
  const young = after.split("\n");
  const starts = [0];
  for (const line of old) starts.push(starts.at(-1)! + line.length + 1);
  const found: Replacement[] = [];
  for (const { a0, a1, b0, b1 } of differences(old, young)) {
    if (a1 - a0 === b1 - b0) {
      // line by line where their number is the same
      for (let n = 0; n < a1 - a0; n++) add(starts[a0 + n], old[a0 + n], young[b0 + n]);
    } else {
      // whole lines, with the line end that parts them from the others
      const isLast = a1 === old.length;
      const [from, to] = [starts[a0] - (isLast && a0 > 0 ? 1 : 0), starts[a1] - (isLast ? 1 : 0)];
      const lines = young
        .slice(b0, b1)
        .map((line) => (isLast && a0 > 0 ? `\n${line}` : `${line}\n`));
      const text = lines.join("");
      add(from, before.slice(from, to), isLast && a0 === 0 ? text.slice(0, -1) : text);
    }
  }
  return found;

  function add(at: number, one: string, other: string): void {
    const change = replacement(one, other);
    if (change) found.push({ ...change, from: at + change.from, to: at + change.to });
  }
}
