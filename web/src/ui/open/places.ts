// Problems of files as the studio words them: `file:line:column: message`.

export interface PlacedWords {
  /** `file:line:column`, '' where the problem has no place. */
  place: string;
  message: string;
}

const PLACE = /^(.{1,400}?:\d+:\d+): (.*)$/s;

export function placed(line: string): PlacedWords {
  const found = PLACE.exec(line);
  return found ? { place: found[1], message: found[2] } : { place: "", message: line };
}

/** How many, in words: '1 mesh', '3 meshes'. */
export function count(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}
