// Where loops are open, and by how much: the one measure for words, gauges and pictures.
import type { PageModel } from "../../kernel/page-model.ts";
import type { Three } from "../../kernel/spatial.ts";
import { SHOWN_CLOSED } from "../../kernel/tables/tolerances.ts";

/** A loop that does not close: its cut joint, and both of its ends; or a coupling that does not hold. */
export interface Opening {
  /** The cut joint, or the coupling. */
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
  if (model.counts.loop === 0 || model.loopGap(q) <= SHOWN_CLOSED * model.size) return [];
  const residual = model.loopResidual(q);
  const poses = model.loopPoses(q);
  const place = (at: number): Three => [poses[at], poses[at + 1], poses[at + 2]];
  const length = (at: number): number =>
    Math.hypot(residual[at], residual[at + 1], residual[at + 2]);
  const wide = ({ distance, turn }: Opening): number => Math.max(distance, turn * model.size);
  const { loops, couplings, joints } = model.data;
  const found = loops.map((loop, i) => ({
    joint: joints[loop.joint].name,
    distance: length(6 * i),
    turn: length(6 * i + 3),
    from: place(14 * i + 4),
    to: place(14 * i + 11),
  }));
  // a coupling has no place of its own: that of its first joint's link
  const links = couplings.length > 0 ? model.forward(q) : [];
  couplings.forEach(({ name, joints: own }, n) => {
    const at = 7 * joints[own[0]].child + 4;
    const here: Three = [links[at], links[at + 1], links[at + 2]];
    const i = loops.length + n;
    const lack = { distance: length(6 * i), turn: length(6 * i + 3) };
    found.push({ joint: name, ...lack, from: here, to: here });
  });
  return found
    .filter((one) => wide(one) > SHOWN_CLOSED * model.size)
    .sort((a, b) => wide(b) - wide(a));
}

export function isOpen(model: PageModel, q: Float64Array): boolean {
  return openings(model, q).length > 0;
}
