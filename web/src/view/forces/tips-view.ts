// Tips of force devices: where the hand is, what it holds, and the force that it feels.
import { type Mesh, Vector3 } from "three";
import type { SimulationHost } from "../../store/hosts.ts";
import type { LiveTip } from "../../wire/frames.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import { BALL, mark, plain, Polyline } from "../overlays/marks.ts";
import type { Part, ViewContext } from "../part.ts";
import { forceText } from "../units.ts";
import { Arrow, arrowLength } from "./arrow.ts";

/** Radii of the tip and of the held point, in radii of the mechanism. */
const TIP = 0.026;
const HELD = 0.014;
/** A force of so many newtons has the longest arrow: more is hardly felt by a hand. */
const STRONG = 20;
/** A stiffness that has grown by more than this is named. */
const FIRM = 1.02;

interface Mark {
  tip: Mesh;
  held: Mesh;
  line: Polyline;
  arrow: Arrow;
  label: Label;
}

/** What is written beside a tip. */
export function tipWords(name: string, { force, firm }: Pick<LiveTip, "force" | "firm">): string {
  const strength = Math.hypot(...force);
  const more = firm > FIRM ? ` · ${firm.toFixed(1)} × stiffer` : "";
  return `${name} ${forceText(strength)}${more}`;
}

export class TipsView implements Part {
  private readonly accent;
  private readonly marks: Mark[] = [];

  constructor(
    private readonly context: ViewContext<SimulationHost, "root" | "labels" | "palette" | "extent">,
  ) {
    this.accent = plain(context.palette.accent);
  }

  paint(palette: Palette): void {
    this.accent.color.set(palette.accent);
    for (const { line } of this.marks) line.color = palette.ink;
  }

  frame(): void {
    const { simulation } = this.context.studio;
    const { devices, frame, isRunning } = simulation;
    const tips = isRunning ? (frame?.tips ?? []) : [];
    tips.forEach((tip, i) => this.show((this.marks[i] ??= this.mark()), tip, devices.on[i]?.name));
    for (const one of this.marks.slice(tips.length)) this.hide(one);
  }

  dispose(): void {
    for (const { tip, held, line, arrow, label } of this.marks) {
      tip.removeFromParent();
      held.removeFromParent();
      line.dispose();
      arrow.remove();
      label.remove();
    }
    this.accent.dispose();
  }

  private show(one: Mark, { place, held, force, firm, is_push }: LiveTip, name = ""): void {
    // it has not sent anything yet
    if (!place.every(Number.isFinite)) return this.hide(one);
    const { extent } = this.context;
    const [at, strength] = [new Vector3(...place), Math.hypot(...force)];
    one.tip.visible = one.label.visible = true;
    one.tip.position.copy(at);
    one.tip.scale.setScalar(TIP * extent);
    const isHeld = held.every(Number.isFinite) && (is_push === 0 || strength > 0);
    one.held.visible = isHeld;
    if (isHeld) one.held.position.fromArray(held);
    one.held.scale.setScalar(HELD * extent);
    one.line.set(isHeld ? [place, held] : []);
    const length = arrowLength(Math.min(1, strength / STRONG)) * extent;
    if (strength > 0) one.arrow.show(at, new Vector3(...force), length, 0.012 * extent);
    else one.arrow.hide();
    one.label.text = tipWords(name, { force, firm });
    one.label.at = at.toArray();
  }

  private mark(): Mark {
    const { root, labels, palette } = this.context;
    const [tip, held] = [mark(BALL, this.accent, 9), mark(BALL, this.accent, 9)];
    root.add(tip, held);
    return {
      ...{ tip, held, line: new Polyline(root, palette.ink, 1.6) },
      ...{ arrow: new Arrow(root, this.accent, 9), label: labels.add("note") },
    };
  }

  private hide({ tip, held, line, arrow, label }: Mark): void {
    tip.visible = held.visible = label.visible = false;
    line.set([]);
    arrow.hide();
  }
}
