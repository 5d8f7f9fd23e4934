// The smallest replacement that turns one text into another, and how it goes on top of others.
import { ChangeSet, type ChangeSpec } from "@codemirror/state";

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

/** Replacements line by line where the number of lines is the same, so that cursors stay put. */
export function replacements(before: string, after: string): Replacement[] {
  const old = before.split("\n");
  const young = after.split("\n");
  if (old.length !== young.length) {
    const whole = replacement(before, after);
    return whole ? [whole] : [];
  }
  const found: Replacement[] = [];
  let at = 0;
  old.forEach((line, i) => {
    const change = replacement(line, young[i]!);
    if (change) found.push({ ...change, from: at + change.from, to: at + change.to });
    at += line.length + 1;
  });
  return found;
}

/** Changes that bring a foreign edit of `base` into a document that was edited meanwhile. */
export function rebased(base: string, foreign: string, document: string): ChangeSpec {
  const theirs = ChangeSet.of(replacements(base, foreign), base.length);
  const ours = ChangeSet.of(replacements(base, document), base.length);
  return theirs.map(ours);
}
