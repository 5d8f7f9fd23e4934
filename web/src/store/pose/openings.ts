// Where loops are open, and by how much: the one measure for words, gauges and pictures.
import type { PageModel } from "../../kernel/page-model.ts";
import type { Three } from "../../kernel/spatial.ts";
import { SHOWN_CLOSED } from "../../kernel/tolerances.ts";

/** A loop that does not close: its cut joint, and both of its ends. */
export interface Opening {
  joint: string;
  /** [m] */
  distance: number;
  /** [rad] */
  turn: number;
  from: Three;
  to: Three;
}

/** The loops that are open at q, the widest first. */
export function openings(model: PageModel, q: Float64Array): Opening[] {
  if (model.data.loops.length === 0 || model.loopGap(q) <= SHOWN_CLOSED * model.size) return [];
  const residual = model.loopResidual(q);
  const poses = model.loopPoses(q);
  const place = (at: number): Three => [poses[at], poses[at + 1], poses[at + 2]];
  const length = (at: number): number =>
    Math.hypot(residual[at], residual[at + 1], residual[at + 2]);
  const wide = ({ distance, turn }: Opening): number => Math.max(distance, turn * model.size);
  return model.data.loops
    .map((loop, i) => ({
      joint: model.data.joints[loop.joint].name,
      distance: length(6 * i),
      turn: length(6 * i + 3),
      from: place(14 * i + 4),
      to: place(14 * i + 11),
    }))
    .filter((one) => wide(one) > SHOWN_CLOSED * model.size)
    .sort((a, b) => wide(b) - wide(a));
}

export function isOpen(model: PageModel, q: Float64Array): boolean {
  return openings(model, q).length > 0;
}
