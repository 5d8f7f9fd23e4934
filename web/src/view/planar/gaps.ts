// Loops that do not close, in the 2D view: a red line across each gap, with its size.
import { applyInverse } from "../../shapes/vectors.ts";
import type { Opening } from "../../store/pose/openings.ts";
import type { Settings } from "../../store/settings.ts";
import { gapWords } from "../condition-words.ts";
import type { Palette } from "../links/palette.ts";
import type { FlatFrame } from "./path.ts";

/** Least length of the line [px], for gaps that are too narrow to be seen. */
const LEAST = 8;

export function drawGaps(
  pen: CanvasRenderingContext2D,
  openings: readonly Opening[],
  { plane, scale, origin }: FlatFrame,
  palette: Palette,
  settings: Settings,
): void {
  pen.strokeStyle = pen.fillStyle = palette.danger;
  pen.lineWidth = 4;
  pen.lineCap = "round";
  pen.font = "12px sans-serif";
  for (const opening of openings) {
    const [[ax, ay], [bx, by]] = [opening.from, opening.to].map((place) => {
      const [x, y] = applyInverse(plane, place);
      return [origin.x + x * scale, origin.y - y * scale];
    });
    const rest = Math.max(0, LEAST - Math.hypot(bx - ax, by - ay)) / 2;
    pen.beginPath();
    pen.moveTo(ax - rest, ay);
    pen.lineTo(bx + rest, by);
    pen.stroke();
    pen.fillText(`${opening.joint}: open by ${gapWords(opening, settings)}`, bx + 10, by - 10);
  }
}
