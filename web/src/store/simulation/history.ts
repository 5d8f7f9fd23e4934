// What a simulation did: rows over time, the last minute of them, for charts and to be kept.
import type { PageModel } from "../../kernel/page-model.ts";
import type { LiveFrame } from "../../wire/frames.ts";
import type { MotionData, SignalData } from "../../wire/messages.ts";

/** Rows are kept for so long [s, simulated]. */
const SPAN = 60;
/** Rows closer than this are one [s, simulated]. */
const STEP = 1 / 120;
const MOST = 8000;

export interface LiveRow {
  time: number;
  kinetic: number;
  potential: number;
  work: number;
  gap: number;
  /** Strongest hand [N]. */
  force: number;
  efforts: Float64Array;
  /** Per joint force and moment at this time; null where the frame had none. */
  reactions: Float64Array | null;
  /** Per coupling its effort on its first member; null where the frame had none. */
  transmitted: Float64Array | null;
  q: Float64Array;
  /** Numbers of a world's signals, and which signals those are. */
  signals: { table: readonly SignalData[]; numbers: Float64Array };
}

export class LiveHistory {
  rows: LiveRow[] = [];

  /** Takes a frame in; an earlier time, as of undo, takes back what came after it. */
  add(frame: LiveFrame, table: readonly SignalData[] = []): void {
    const { rows } = this;
    // the latest is always kept: a motion shows how it ended
    const latest = Math.max(frame.time, frame.recorded + 2e-9);
    while (rows.length > 0 && rows[rows.length - 1].time > latest - 1e-9) rows.pop();
    // a world that went back still has what came later
    if (rows.length > 0 && rows[rows.length - 1].time > frame.time - 1e-9) return;
    const [before, last] = [rows.at(-2), rows.at(-1)];
    if (before && last && last.time - before.time < STEP) rows.pop();
    rows.push({
      ...{ time: frame.time, kinetic: frame.kinetic, potential: frame.potential },
      ...{ work: frame.work, gap: frame.gap, efforts: frame.efforts.slice(), q: frame.q.slice() },
      // a copy: rays of a lidar would be kept with what they came with
      signals: { table, numbers: frame.signals.slice() },
      ...{ force: strongest(frame), reactions: known(frame.reactions) },
      transmitted: known(frame.transmitted),
    });
    const first = rows.findIndex((row) => row.time >= frame.time - SPAN);
    // in large bites: moving all rows at every frame would cost more than they are worth
    if (first > 600 || rows.length > MOST) rows.splice(0, Math.max(first, 1000));
  }

  clear(): void {
    this.rows = [];
  }

  /** All that is kept, as a motion of every joint; null when there is nothing. */
  motion(model: PageModel, name: string): MotionData | null {
    const { rows } = this;
    if (rows.length < 2) return null;
    return {
      name,
      joints: model.data.joints.filter((joint) => joint.nq > 0).map((joint) => joint.name),
      times: rows.map((row) => row.time - rows[0].time),
      values: rows.map((row) => Array.from(row.q)),
      interpolation: "linear",
      note: null,
    };
  }
}

/** Of the strongest hand [N]. */
export function strongest({ hands }: Pick<LiveFrame, "hands">): number {
  return Math.max(0, ...hands.map(({ force }) => Math.hypot(...force)));
}

const known = (numbers: Float64Array): Float64Array | null =>
  numbers.length ? numbers.slice() : null;
