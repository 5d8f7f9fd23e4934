// What a panel in space shows, and where on it: rows of buttons, sliders and words. Pure.

export interface ButtonItem {
  label: string;
  run(): void;
  /** What it stands for is on. */
  isOn?: boolean;
  /** It cannot be pressed now. */
  isOff?: boolean;
  /** It ends something at once: to be found without reading. */
  isAlarm?: boolean;
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
  | { kind: "buttons"; items: readonly ButtonItem[]; isLarge?: boolean }
  | SliderRow
  | { kind: "words"; text: string; tone?: "soft" | "danger" };

export interface Sheet {
  /** '' for none, and no head. */
  title: string;
  rows: readonly Row[];
  /** Rows that begin another page although there is room on the one before, by index. */
  breaks?: readonly number[];
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

/** Of the picture [px]; capital letters of 34 px are 10 mm high then, 0.9° at arm's length (0.6 m),
 * and those of large buttons 8 mm at a wrist, 1.1° at 0.4 m. */
export const WIDTH = 1024;
export const HEAD = 92;
export const ROW = 92;
const LARGE = 172;
export const LINE = 44;
export const PAD = 30;
const GAP = 14;
/** Rows on one page. */
export const ROWS = 8;
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

/** Puts the rows of a page one below the other; a panel with a head can be closed and pinned. */
export function layOut({ title, rows, breaks = [] }: Sheet, wanted = 0): Layout {
  const starts = startsOf(rows.length, breaks);
  const pages = starts.length;
  const page = Math.min(pages - 1, Math.max(0, wanted));
  const boxes: Box[] = [];
  const tops = new Map<number, number>();
  const square = HEAD - 24;
  const end = WIDTH - PAD;
  const head = { row: -1, item: 0, y: 12, height: square };
  if (title)
    boxes.push(
      { ...head, kind: "close", x: end - square, width: square },
      { ...head, kind: "pin", x: end - 2.2 * square, width: square },
      { ...head, kind: "head", x: 0, y: 0, width: end - 2.4 * square, height: HEAD },
    );
  let y = title ? HEAD + GAP : PAD;
  rows.slice(starts[page], starts[page + 1]).forEach((row, k) => {
    const index = starts[page] + k;
    tops.set(index, y);
    if (row.kind === "words") {
      y += LINE * Math.max(1, wrapped(row.text).length) + GAP;
      return;
    }
    const items = row.kind === "buttons" ? row.items.length : 1;
    const width = (WIDTH - 2 * PAD - GAP * (items - 1)) / items;
    const high = row.kind === "buttons" && row.isLarge ? LARGE : ROW;
    for (let item = 0; item < items; item += 1)
      boxes.push({
        ...{ kind: row.kind === "buttons" ? "button" : "slider", row: index, item, width },
        ...{ x: PAD + item * (width + GAP), y, height: high - GAP },
      });
    y += high;
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

/** The first row of each page. */
function startsOf(count: number, breaks: readonly number[]): number[] {
  const starts = [0];
  for (let row = 1; row < count; row += 1)
    if (row - starts.at(-1)! >= ROWS || breaks.includes(row)) starts.push(row);
  return starts;
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
