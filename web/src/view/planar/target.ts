// The wanted curve of a design in the 2D view, and the curve that the design in sight draws.
import { applyInverse } from "../../shapes/vectors.ts";
import type { Place } from "../../store/design/data.ts";
import type { Designs } from "../../store/design/design.ts";
import type { Palette } from "../links/palette.ts";
import type { FlatFrame } from "./path.ts";

export function drawTarget(
  pen: CanvasRenderingContext2D,
  designs: Designs,
  { plane, scale, origin }: FlatFrame,
  palette: Palette,
): void {
  const { shown, goal, target, preview } = designs;
  if (!shown) return;
  const to = (place: Place): [number, number] => {
    const [x, y] = applyInverse(plane, place);
    return [origin.x + x * scale, origin.y - y * scale];
  };
  const stroke = (places: readonly Place[], color: string, width: number, closed: boolean) => {
    if (places.length < 2) return;
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.beginPath();
    places.forEach((place, i) => (i ? pen.lineTo(...to(place)) : pen.moveTo(...to(place))));
    if (closed) pen.closePath();
    pen.stroke();
  };
  if (preview) stroke(designs.traceOf(preview), palette.accent, 2.5, false);
  if (goal !== "follow" || !target) return;
  stroke(target.points, palette.danger, 1.2, target.closed);
  pen.fillStyle = palette.danger;
  for (const place of target.points) {
    pen.beginPath();
    pen.arc(...to(place), 3.5, 0, 2 * Math.PI);
    pen.fill();
  }
}
