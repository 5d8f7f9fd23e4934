// The path in the 2D view: the same marks, drawn flat.
import { applyInverse, type Mat3 } from "../../shapes/vectors.ts";
import type { CurveHandle } from "../../store/path/handles.ts";
import type { Triple } from "../../store/path/vectors.ts";
import type { Paths } from "../../store/path/paths.ts";
import { mixed, type Palette } from "../links/palette.ts";
import { pathPicture, pointUnder, wordsOf } from "../path/picture.ts";
import { drawShape, type Shape } from "../path/sprites.ts";

export interface FlatFrame {
  /** R_WP: the plane's x, y and normal in the world. */
  plane: Mat3;
  /** [px/m] */
  scale: number;
  origin: { x: number; y: number };
}

const to =
  ({ plane, scale, origin }: FlatFrame) =>
  (place: Triple): [number, number] => {
    const [x, y] = applyInverse(plane, place);
    return [origin.x + x * scale, origin.y - y * scale];
  };

export function drawPath(
  context: CanvasRenderingContext2D,
  paths: Paths,
  frame: FlatFrame,
  palette: Palette,
): void {
  const place = to(frame);
  const paper = palette.dark ? "#14181e" : "#ffffff";
  const line = (points: readonly Triple[], color: string, width: number, dash: number[] = []) => {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    points.forEach((p, i) => (i ? context.lineTo(...place(p)) : context.moveTo(...place(p))));
    context.stroke();
    context.setLineDash([]);
  };
  const mark = (at: Triple, shape: Shape, size: number, ink: string, fill: string): void => {
    const [x, y] = place(at);
    context.save();
    context.translate(x, y);
    context.scale(size / 2, size / 2);
    drawShape(context, shape, ink, fill);
    context.restore();
  };
  const marks = (flat: Float32Array, shape: Shape, size: number, ink: string, fill: string) => {
    for (let i = 0; i + 2 < flat.length; i += 3)
      mark([flat[i], flat[i + 1], flat[i + 2]], shape, size, ink, fill);
  };
  const { plan, curve, handles } = paths;
  if (plan) {
    const picture = pathPicture(plan);
    for (const part of picture.reached) line(part, palette.accent, 1.6);
    for (const part of picture.missed) line(part, palette.danger, 1.2, [5, 4]);
    marks(picture.dots, "dot", 5, palette.accent, palette.accent);
    marks(picture.crosses, "cross", 9, palette.danger, palette.danger);
    marks(picture.warnings, "triangle", 15, palette.outline, palette.motor);
    if (paths.walk.at !== null)
      mark(plan.point(paths.walk.at), "ring", 14, palette.ink, mixed(palette.accent, paper, 0.4));
  }
  if (curve?.kind === "bezier" && handles.length) line(curve.points, palette.faint, 1);
  for (const { at, kind } of handles)
    mark(
      at,
      kind === "middle" ? "diamond" : "square",
      kind === "middle" ? 16 : 13,
      palette.accent,
      kind === "middle" ? mixed(palette.accent, paper, 0.65) : paper,
    );
  if (paths.stroke.length) line(paths.stroke, palette.accent, 3);
}

/** The handle under a pixel of the canvas. */
export function flatHandle(
  paths: Paths,
  frame: FlatFrame,
  x: number,
  y: number,
  reach: number,
): CurveHandle | null {
  const place = to(frame);
  let found: CurveHandle | null = null;
  let near = reach;
  for (const handle of paths.handles.toReversed()) {
    const [u, v] = place(handle.at);
    const distance = Math.hypot(u - x, v - y);
    if (distance <= near) [found, near] = [handle, distance];
  }
  return found;
}

/** What the mark under a pixel has to say; '' where there is none. */
export function flatWords(paths: Paths, frame: FlatFrame, x: number, y: number): string {
  const index = paths.plan ? pointUnder(paths.plan, to(frame), x, y, 9) : -1;
  return index < 0 ? "" : wordsOf(paths.plan!, index);
}
