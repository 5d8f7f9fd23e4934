// Traces: the way that chosen points have gone.
import type { ChoiceHost, ModelHost, MotionHost } from "../../store/hosts.ts";
import type { Part, ViewContext } from "../part.ts";
import type { Palette } from "../links/palette.ts";
import { Polyline } from "./marks.ts";

/** Points of a trace at most; the oldest are forgotten. */
const ROOM = 3000;

interface Trace {
  site: number;
  points: [number, number, number][];
  line: Polyline;
  /** Points in the line so far. */
  drawn: number;
}

export class Traces implements Part {
  private traces: Trace[] = [];
  private readonly end: () => void;
  /** Where the player was when it last moved something; null where something else did. */
  private played: number | null = null;

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost & MotionHost,
      "root" | "palette" | "extent"
    >,
  ) {
    this.end = context.studio.on("pose", (source) => {
      const time = source === "play" ? context.studio.player.time : null;
      // a motion that is put on or begins again leaps: no way leads from there to here
      const leaps = time !== null && (this.played === null || time < this.played);
      this.played = time;
      if (source === "number" || source === "snapshot" || leaps)
        for (const one of this.traces) one.points = [];
      // a slow picture of what runs has many steps in it
      const steps = source === "run" ? context.studio.run.latest : [];
      const { model } = context.studio;
      for (const { q } of steps.slice(0, -1)) if (model) this.sample(model.forward(q));
      this.sample(context.studio.poses);
    });
  }

  paint(palette: Palette): void {
    this.traces.forEach(({ line }, i) => {
      line.color = i % 2 ? palette.motor : palette.accent;
    });
  }

  rebuild(): void {
    const { model } = this.context.studio;
    this.traces = this.traces.filter((trace) => {
      if (model && trace.site < model.siteCount) return true;
      trace.line.dispose();
      return false;
    });
  }

  frame(): void {
    this.follow();
    for (const trace of this.traces) {
      if (trace.drawn === trace.points.length) continue;
      trace.drawn = trace.points.length;
      trace.line.set(trace.points);
    }
  }

  dispose(): void {
    this.end();
    for (const { line } of this.traces) line.dispose();
  }

  /** Those that are asked for; without any, the first named frame. */
  private follow(): void {
    const { studio, root, palette } = this.context;
    const { model, overlay } = studio;
    const first = model && model.siteCount > model.linkCount ? [model.linkCount] : [];
    const asked = overlay.traces.length ? overlay.traces : first;
    this.traces = this.traces.filter((trace) => {
      if (asked.includes(trace.site)) return true;
      trace.line.dispose();
      return false;
    });
    for (const site of asked) {
      if (this.traces.some((trace) => trace.site === site)) continue;
      const color = this.traces.length % 2 ? palette.motor : palette.accent;
      this.traces.push({ site, points: [], line: new Polyline(root, color), drawn: -1 });
    }
  }

  private sample(poses: Float64Array): void {
    const near = 0.002 * this.context.extent;
    for (const { site, points } of this.traces) {
      if (poses.length < 7 * (site + 1)) continue;
      const at: [number, number, number] = [
        poses[7 * site + 4],
        poses[7 * site + 5],
        poses[7 * site + 6],
      ];
      const last = points[points.length - 1];
      if (last && Math.hypot(at[0] - last[0], at[1] - last[1], at[2] - last[2]) < near) continue;
      points.push(at);
      if (points.length > ROOM) points.splice(0, ROOM / 10);
    }
  }
}
