// What a panel in space shows, and where on it: rows of buttons, sliders and words. Pure.

export interface ButtonItem {
  label: string;
  run(): void;
  /** What it stands for is on. */
  isOn?: boolean;
  /** It cannot be pressed now. */
  isOff?: boolean;
}

export interface SliderRow {
  kind: "slider";
  label: string;
  value: number;
  min: number;
  max: number;
  /** The value with its unit. */
  text: string;
  /** At a limit. */
  isAlarm?: boolean;
  set(value: number): void;
  /** When it is let go: one step of undo. */
  commit(): void;
}

export type Row =
  | { kind: "buttons"; items: readonly ButtonItem[] }
  | SliderRow
  | { kind: "words"; text: string; tone?: "soft" | "danger" };

export interface Sheet {
  title: string;
  rows: readonly Row[];
}

/** What can be pressed: the parts of a row, or of the head. */
export interface Box {
  kind: "button" | "slider" | "pin" | "close" | "page" | "head";
  /** Index of the row, and of the button in it; for a page: −1 or 1. */
  row: number;
  item: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  boxes: Box[];
  /** Top of each row that is shown, by its index. */
  tops: Map<number, number>;
  height: number;
  page: number;
  pages: number;
}

/** Of the picture [px]; text of 34 px is 14 mm high then, 1.3° at arm's length. */
export const WIDTH = 1024;
export const HEAD = 92;
export const ROW = 92;
export const LINE = 44;
export const PAD = 30;
const GAP = 14;
/** Rows on one page. */
export const ROWS = 7;
/** Letters of a line of words. */
const LETTERS = 54;

/** Words in lines that fit. */
export function wrapped(text: string, letters = LETTERS): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < letters)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Puts the rows of a page one below the other; a panel that is free can be closed and pinned. */
export function layOut({ rows }: Sheet, wanted = 0, isFree = true): Layout {
  const pages = Math.max(1, Math.ceil(rows.length / ROWS));
  const page = Math.min(pages - 1, Math.max(0, wanted));
  const boxes: Box[] = [];
  const tops = new Map<number, number>();
  const square = HEAD - 24;
  const end = WIDTH - PAD;
  const head = { row: -1, item: 0, y: 12, height: square };
  if (isFree)
    boxes.push(
      { ...head, kind: "close", x: end - square, width: square },
      { ...head, kind: "pin", x: end - 2.2 * square, width: square },
      { ...head, kind: "head", x: 0, y: 0, width: end - 2.4 * square, height: HEAD },
    );
  let y = HEAD + GAP;
  rows.slice(page * ROWS, (page + 1) * ROWS).forEach((row, k) => {
    const index = page * ROWS + k;
    tops.set(index, y);
    if (row.kind === "words") {
      y += LINE * Math.max(1, wrapped(row.text).length) + GAP;
      return;
    }
    const items = row.kind === "buttons" ? row.items.length : 1;
    const width = (WIDTH - 2 * PAD - GAP * (items - 1)) / items;
    for (let item = 0; item < items; item += 1)
      boxes.push({
        ...{ kind: row.kind === "buttons" ? "button" : "slider", row: index, item, width },
        ...{ x: PAD + item * (width + GAP), y, height: ROW - GAP },
      });
    y += ROW;
  });
  if (pages > 1) {
    const half = (WIDTH - 2 * PAD) / 4;
    for (const item of [-1, 1])
      boxes.push({
        ...{ kind: "page", row: -1, item, y, width: half, height: ROW - GAP },
        x: item < 0 ? PAD : WIDTH - PAD - half,
      });
    y += ROW;
  }
  return { boxes, tops, height: y + PAD - GAP, page, pages };
}

/** What is at a place of the picture [px]; null: nothing to press. */
export function boxAt({ boxes }: Layout, x: number, y: number): Box | null {
  const isIn = (box: Box): boolean =>
    x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  return boxes.find(isIn) ?? null;
}

/** The track of a slider in its box [px]: from where to where. */
export function trackOf(box: Box): [number, number] {
  return [box.x + 330, box.x + box.width - 230];
}

/** The value that a slider has at a place [px]; beyond its ends, the end. */
export function valueAt({ min, max }: SliderRow, box: Box, x: number): number {
  const [from, to] = trackOf(box);
  return min + (max - min) * Math.min(1, Math.max(0, (x - from) / (to - from)));
}
