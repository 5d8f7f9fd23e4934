// A motion that is followed under forces: its planned way, the way really made, and what it hits.
import type {
  ChoiceHost,
  ModelHost,
  PathHost,
  SceneHost,
  SimulationHost,
} from "../../store/hosts.ts";
import type { LiveRow } from "../../store/simulation/history.ts";
import { type LinePoint, motionLine, siteAt } from "../../store/motion/line.ts";
import type { MotionData } from "../../wire/messages.ts";
import type { Label } from "../labels/labels.ts";
import { Polyline } from "../overlays/marks.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { lengthText } from "../units.ts";

/** Places of the way that was made at most: more are not seen. */
const MOST = 500;

export class PlanView implements Part {
  private readonly planned: Polyline;
  private readonly hits: Polyline;
  private readonly made: Polyline;
  private readonly note: Label;
  private spots = new WeakMap<LiveRow, LinePoint["at"]>();
  private shown: { motion: MotionData; site: number; line: LinePoint[] } | null = null;

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost & SimulationHost & SceneHost & PathHost,
      "root" | "objects" | "labels" | "palette"
    >,
  ) {
    const { root, palette, labels } = context;
    this.planned = new Polyline(root, palette.faint, 2.4);
    this.hits = new Polyline(root, palette.danger, 4);
    this.made = new Polyline(root, palette.accent, 2.4);
    this.hits.line.renderOrder = 6;
    this.made.line.renderOrder = 7;
    this.note = labels.add("note");
    this.note.visible = false;
  }

  paint(palette: Palette): void {
    this.planned.color = palette.faint;
    this.hits.color = palette.danger;
    this.made.color = palette.accent;
  }

  frame(): void {
    const { studio, objects } = this.context;
    const { simulation, model, snapshot, paths } = studio;
    const { frame, state, settings } = simulation;
    // where objects take part, touching them is as it should be
    const passes = simulation.isOn && !settings.objects;
    const hit = passes && frame && frame.clearance < 0 ? frame.near_object : -1;
    objects.alarm(hit);
    this.say(hit);
    const motion = snapshot?.motions.find((one) => one.name === settings.motion);
    if (!simulation.isOn || !motion || !model) {
      this.shown = null;
      for (const line of [this.planned, this.hits, this.made]) line.set([]);
      return;
    }
    const { site } = paths;
    if (this.shown?.motion !== motion || this.shown.site !== site) {
      this.spots = new WeakMap();
      this.shown = { motion, site, line: motionLine(model, motion, studio.q, site) };
      this.planned.set(this.shown.line.map(({ at }) => at));
      this.hits.set([]);
    }
    const { from, to } = (state.plan ?? {}) as { from?: number | null; to?: number | null };
    const inside = ({ time }: LinePoint): boolean =>
      from !== null && from !== undefined && time >= from - 0.02 && time <= (to ?? from) + 0.02;
    this.hits.set(this.shown.line.filter(inside).map(({ at }) => at));
    this.made.set(this.way(simulation.history.rows, site));
  }

  dispose(): void {
    this.note.remove();
    for (const line of [this.planned, this.hits, this.made]) line.dispose();
  }

  /** Where the frame has been. */
  private way(rows: readonly LiveRow[], site: number): LinePoint["at"][] {
    const { model } = this.context.studio;
    if (!model) return [];
    const stride = Math.max(1, Math.ceil(rows.length / MOST));
    const kept = rows.filter((_, i) => i % stride === 0 || i === rows.length - 1);
    return kept.map((row) => {
      const at = this.spots.get(row) ?? siteAt(model, row.q, site);
      this.spots.set(row, at);
      return at;
    });
  }

  /** Words beside the link that is in something. */
  private say(hit: number): void {
    const { studio } = this.context;
    const { frame } = studio.simulation;
    this.note.visible = hit >= 0 && frame !== null;
    if (!this.note.visible || !frame) return;
    const link = Math.max(0, frame.near_link);
    const name = studio.scene.objects[hit]?.name ?? "";
    const [x, y, z] = studio.poses.subarray(7 * link + 4, 7 * link + 7);
    this.note.at = [x, y, z];
    this.note.text = `hits ${name}, ${lengthText(-frame.clearance, studio.settings.lengthUnit)} deep`;
  }
}
