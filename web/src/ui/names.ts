// Names for new things.

/** The first of 'prefix1', 'prefix2', … that is not taken. */
export function freshName(prefix: string, taken: Iterable<string>): string {
  const used = new Set(taken);
  let i = 1;
  while (used.has(`${prefix}${i}`)) i += 1;
  return `${prefix}${i}`;
}
