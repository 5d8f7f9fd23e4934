// Draws a panel's rows into a canvas.
import type { Palette } from "../../view/links/palette.ts";
import { mixed } from "../../view/links/palette.ts";
import {
  type Box,
  type ButtonItem,
  HEAD,
  type Layout,
  LINE,
  PAD,
  type Sheet,
  trackOf,
  WIDTH,
  wrapped,
} from "./rows.ts";

const FONT = "system-ui, 'Segoe UI', Roboto, sans-serif";

/** Buttons to the page before and after. */
export const PAGES = ["‹", "›"] as const;

const CROSS = "M4 4l8 8M12 4l-8 8";
const PIN = "M5.5 2.5h5M6.5 2.5v4L4.5 9h7L9.5 6.5v-4M8 9v4.5";

interface Inks {
  surface: string;
  raised: string;
  line: string;
  ink: string;
  soft: string;
  accent: string;
  onAccent: string;
  danger: string;
}

export function inksOf(palette: Palette): Inks {
  const { dark, ink, accent, danger, faint } = palette;
  return {
    surface: dark ? "#1b2129" : "#ffffff",
    raised: dark ? "#2a323d" : "#eef1f6",
    line: dark ? "#3a4452" : "#d5dbe4",
    ...{ ink, accent, danger, soft: faint },
    onAccent: dark ? "#10151c" : "#ffffff",
  };
}

/** What the painting depends on besides the rows. */
export interface Look {
  hover: Box | null;
  pressed: Box | null;
  isPinned: boolean;
}

/** All that is to be seen, as text: the same text is the same picture. */
export function signature(sheet: Sheet, layout: Layout, look: Look, dark: boolean): string {
  const rows = sheet.rows.map((row) =>
    row.kind === "buttons"
      ? row.items.map(({ label, isOn, isOff, isAlarm }) => [label, isOn, isOff, isAlarm])
      : row.kind === "slider"
        ? [row.label, row.text, row.value, row.isAlarm]
        : [row.text, row.tone],
  );
  const at = (box: Box | null) => box && [box.kind, box.row, box.item];
  return JSON.stringify([
    ...[sheet.title, rows, layout.page, at(look.hover), at(look.pressed), look.isPinned, dark],
  ]);
}

export function paint(
  context: CanvasRenderingContext2D,
  sheet: Sheet,
  layout: Layout,
  look: Look,
  palette: Palette,
): void {
  const inks = inksOf(palette);
  const { height } = layout;
  context.clearRect(0, 0, WIDTH, height);
  block(context, 2, 2, WIDTH - 4, height - 4, 36, inks.surface, inks.line);
  if (sheet.title) {
    text(context, sheet.title, PAD, HEAD / 2 + 2, inks.ink, `600 40px ${FONT}`, 760);
    context.fillStyle = inks.line;
    context.fillRect(PAD, HEAD, WIDTH - 2 * PAD, 2);
  }
  const drawer = new Drawer(context, inks, look);
  for (const box of layout.boxes) drawer.box(box, sheet, layout);
  for (const [index, top] of layout.tops) {
    const row = sheet.rows[index];
    if (row.kind !== "words") continue;
    const ink = row.tone === "danger" ? inks.danger : row.tone === "soft" ? inks.soft : inks.ink;
    wrapped(row.text).forEach((line, k) =>
      text(context, line, PAD, top + LINE * (k + 0.5), ink, `400 34px ${FONT}`),
    );
  }
  if (layout.pages > 1) {
    const box = layout.boxes.at(-1)!;
    const words = `${layout.page + 1} of ${layout.pages}`;
    context.textAlign = "center";
    text(context, words, WIDTH / 2, box.y + box.height / 2, inks.soft, `500 32px ${FONT}`);
    context.textAlign = "left";
  }
}

class Drawer {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly inks: Inks,
    private readonly look: Look,
  ) {}

  box(box: Box, sheet: Sheet, layout: Layout): void {
    const row = sheet.rows[box.row];
    if (box.kind === "slider" && row?.kind === "slider") this.slider(box, row);
    if (box.kind === "button" && row?.kind === "buttons") {
      this.button(box, row.items[box.item], row.isLarge);
    }
    const isLast = box.item < 0 ? layout.page === 0 : layout.page === layout.pages - 1;
    if (box.kind === "page")
      this.button(box, { label: PAGES[box.item < 0 ? 0 : 1], isOff: isLast });
    if (box.kind === "close") this.sign(box, false, CROSS);
    if (box.kind === "pin") this.sign(box, this.look.isPinned, PIN);
  }

  private button(box: Box, item: Omit<ButtonItem, "run">, isLarge = false): void {
    const { context, inks } = this;
    const { label, isOn, isOff, isAlarm } = item;
    const { x, y, width, height } = box;
    const isHot = !isOff && (same(box, this.look.hover) || same(box, this.look.pressed));
    const light = isAlarm ? inks.danger : inks.accent;
    const base = isAlarm || isOn ? light : inks.raised;
    const fill = isHot ? mixed(base, isAlarm || isOn ? inks.ink : light, 0.25) : base;
    block(context, x, y, width, height, isLarge ? 30 : 20, fill, isHot ? light : null);
    const bright = isAlarm ? "#ffffff" : isOn ? inks.onAccent : inks.ink;
    const ink = isOff ? mixed(inks.soft, inks.raised, 0.5) : bright;
    const font = isLarge ? `600 62px ${FONT}` : `${isAlarm ? 600 : 500} 34px ${FONT}`;
    context.textAlign = "center";
    text(context, label, x + width / 2, y + height / 2 + 2, ink, font, width - 24);
    context.textAlign = "left";
  }

  /** A button with a drawing: strokes on a field of 16 × 16. */
  private sign(box: Box, isOn: boolean, strokes: string): void {
    const { context, inks } = this;
    this.button(box, { label: "", isOn });
    context.save();
    context.translate(box.x + 0.22 * box.width, box.y + 0.22 * box.height);
    context.scale((0.56 * box.width) / 16, (0.56 * box.height) / 16);
    context.lineWidth = 1.5;
    context.lineCap = context.lineJoin = "round";
    context.strokeStyle = isOn ? inks.onAccent : inks.ink;
    context.stroke(new Path2D(strokes));
    context.restore();
  }

  private slider(
    box: Box,
    row: {
      label: string;
      text: string;
      value: number;
      min: number;
      max: number;
      isAlarm?: boolean;
    },
  ): void {
    const { context, inks } = this;
    const middle = box.y + box.height / 2;
    const isHot = same(box, this.look.hover) || same(box, this.look.pressed);
    if (isHot) block(context, box.x - 10, box.y, box.width + 20, box.height, 20, inks.raised, null);
    text(context, row.label, box.x, middle, inks.ink, `500 34px ${FONT}`, 310);
    const [from, to] = trackOf(box);
    const share = Math.min(1, Math.max(0, (row.value - row.min) / (row.max - row.min || 1)));
    const at = from + share * (to - from);
    const ink = row.isAlarm ? inks.danger : inks.accent;
    block(context, from, middle - 5, to - from, 10, 5, inks.line, null);
    block(context, from, middle - 5, Math.max(10, at - from), 10, 5, ink, null);
    context.beginPath();
    context.arc(at, middle, isHot ? 24 : 19, 0, 2 * Math.PI);
    context.fillStyle = inks.surface;
    context.fill();
    context.lineWidth = 6;
    context.strokeStyle = ink;
    context.stroke();
    context.textAlign = "right";
    const value = row.isAlarm ? inks.danger : inks.ink;
    text(context, row.text, box.x + box.width, middle, value, `400 34px ${FONT}`, 190);
    context.textAlign = "left";
  }
}

const same = (a: Box, b: Box | null): boolean =>
  b !== null && a.kind === b.kind && a.row === b.row && a.item === b.item;

function text(
  context: CanvasRenderingContext2D,
  words: string,
  x: number,
  y: number,
  ink: string,
  font: string,
  most?: number,
): void {
  context.font = font;
  context.fillStyle = ink;
  context.textBaseline = "middle";
  context.fillText(most === undefined ? words : shortened(context, words, most), x, y);
}

/** Words that end in … where they would be wider. */
function shortened(context: CanvasRenderingContext2D, words: string, most: number): string {
  if (context.measureText(words).width <= most) return words;
  let length = words.length;
  while (length > 1 && context.measureText(`${words.slice(0, length)}…`).width > most) length -= 1;
  return `${words.slice(0, length)}…`;
}

function block(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  round: number,
  fill: string,
  line: string | null,
): void {
  context.beginPath();
  context.roundRect(x, y, width, height, round);
  context.fillStyle = fill;
  context.fill();
  if (line === null) return;
  context.lineWidth = 3;
  context.strokeStyle = line;
  context.stroke();
}
