// The sheet that says what hands and buttons do.
import type { Row, Sheet } from "./rows.ts";
import { words } from "./sheet-rows.ts";

const LINES = [
  "Trigger or pinch: grab a part, press a button.",
  "Grip button: grab a part and keep its orientation, move a panel, move the world.",
  "Both grip buttons, or a pinch with both hands, away from all parts: move, turn and scale the world.",
  "Stick: sideways to turn, forwards to choose where to go. While a ray holds a part: nearer or farther.",
  "A or X: the menu. A wrist turned to your eyes, as if to read a watch: Stop and the menu.",
  "B or Y, or a flat hand held up: everything stops, including a real robot.",
] as const;

export function helpSheet(): Sheet {
  return { title: "Help", rows: LINES.map((line): Row => words(line)) };
}
