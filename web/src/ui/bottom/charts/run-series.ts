// Charts of what runs: its rows as a motion, a point's way, and curves over an input.
import type { PageModel } from "../../../kernel/page-model.ts";
import type { RunRow } from "../../../store/motion/run.ts";
import type { ModelData, MotionData } from "../../../wire/messages.ts";
import { type Curve, derivative, type Kind } from "./series.ts";

/** Charts show the last so many seconds, or the last pass of a slow run. */
const SPAN = 40;
/** Rows of a chart at most: it has no more pixels. */
const MOST = 700;
const TURN = 2 * Math.PI;

/** The last part of a run as a motion of all joints. */
export function runMotion(data: ModelData, rows: readonly RunRow[]): MotionData {
  const end = rows.at(-1)!.time;
  const late = rows.filter((row) => row.time >= end - SPAN);
  // by time, not by count: the same rows stay while new ones come
  const bucket = late.length > MOST ? (end - late[0].time) / MOST : 0;
  const kept = bucket
    ? late.filter(
        (row, i) => !i || Math.floor(row.time / bucket) !== Math.floor(late[i - 1].time / bucket),
      )
    : late;
  return {
    name: "run",
    joints: data.joints.filter((joint) => joint.nq > 0).map((joint) => joint.name),
    times: kept.map((row) => row.time),
    values: kept.map((row) => Array.from(row.q)),
    interpolation: "linear",
    note: null,
  };
}

/** Place, velocity or acceleration of a site's origin in world axes [m, s], and its size. */
export function pointCurves(
  model: PageModel,
  poses: readonly Float64Array[],
  times: readonly number[],
  site: number,
  kind: Kind,
): Curve[] {
  if (site < 0 || poses.length !== times.length) return [];
  const places = poses.map((q) => model.forward(q).subarray(7 * site + 4, 7 * site + 7));
  const axes = [0, 1, 2].map((axis) => {
    const place = places.map((one) => one[axis]);
    if (kind === "values") return place;
    const speed = derivative(times, place);
    return kind === "speeds" ? speed : derivative(times, speed);
  });
  const curve = (label: string, values: number[]): Curve => ({
    ...{ label, quantity: "length", motor: false, values },
  });
  const curves = axes.map((values, axis) => curve("xyz"[axis], values));
  if (kind === "values") return curves;
  const size = times.map((_, i) => Math.hypot(...axes.map((values) => values[i])));
  return [...curves, curve(kind === "speeds" ? "speed" : "acceleration", size)];
}

/** The rows of an input's last pass in one direction, a turn at most, by rising value. */
export function lastPass(
  values: readonly number[],
  quantity: Curve["quantity"],
): { rows: number[]; at: number[] } {
  let first = values.length - 1;
  let sign = 0;
  const most = quantity === "angle" ? TURN : Infinity;
  while (first > 0) {
    const step = Math.sign(values[first] - values[first - 1]);
    if (step !== 0 && sign !== 0 && step !== sign) {
      // it has just turned round: the pass before shows more
      if (values.length - first > 3) break;
      sign = 0;
    }
    if (Math.abs(values.at(-1)! - values[first - 1]) > most + 1e-9) break;
    sign ||= step;
    first -= 1;
  }
  const rows = values.map((_, i) => i).slice(Math.max(0, first));
  const spans = rows.map((i) => values[i]);
  const span = Math.max(...spans) - Math.min(...spans);
  const isWhole = quantity === "angle" && span > TURN - 0.15;
  // angles as people read them: one turn from 0, or where it is on the first turn
  const shift = quantity === "angle" ? TURN * Math.round((spans[0] ?? 0) / TURN) : 0;
  const shown = (i: number): number =>
    isWhole ? values[i] - TURN * Math.floor(values[i] / TURN) : values[i] - shift;
  const sorted = rows
    .map((row) => ({ row, at: shown(row) }))
    .sort((a, b) => a.at - b.at)
    // a chart needs rising values
    .filter((one, i, all) => !i || one.at > all[i - 1].at);
  return { rows: sorted.map((one) => one.row), at: sorted.map((one) => one.at) };
}
