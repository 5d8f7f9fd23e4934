// The way of a frame along a motion: places at even times, loops closed.
import type { PageModel } from "../../kernel/page-model.ts";
import type { MotionData } from "../../wire/messages.ts";
import { playable } from "./motion.ts";
import { closeNear, samplePath } from "./timed-path.ts";

export interface LinePoint {
  /** [s] from the motion's first time. */
  time: number;
  /** [m] */
  at: [number, number, number];
}

/** Where a site is at a configuration [m]. */
export function siteAt(model: PageModel, q: Float64Array, site: number): LinePoint["at"] {
  const poses = model.forward(q);
  return [poses[7 * site + 4], poses[7 * site + 5], poses[7 * site + 6]];
}

/** Places of a site along a motion; those whose loops do not close are left out. */
export function motionLine(
  model: PageModel,
  motion: MotionData,
  q: Float64Array,
  site: number,
  count = 120,
): LinePoint[] {
  const { data, poses } = playable(model, motion, q);
  const path = { times: data.times, poses };
  const first = data.times[0];
  const span = data.times[data.times.length - 1] - first;
  const points: LinePoint[] = [];
  for (let i = 0; i < count; ++i) {
    const time = (span * i) / (count - 1);
    // motors go through the rows smoothly, whatever the motion says
    const pose = samplePath(model, path, first + time, "cubic");
    if (closeNear(model, pose)) points.push({ time, at: siteAt(model, pose, site) });
  }
  return points;
}
