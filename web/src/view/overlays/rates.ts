// Balls at the joints, as large as the joints are fast, or as they are accelerated.
import { Group, type Mesh, type MeshStandardMaterial } from "three";
import { variableUnit } from "../../kernel/reasons.ts";
import type { ChoiceHost, ModelHost } from "../../store/hosts.ts";
import { jointPlace } from "../marks/joints.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { rateText } from "../units.ts";
import { BALL, glassy, mark } from "./marks.ts";
import { Pace } from "./pace.ts";

/** So many of the fastest joints say how fast they are. */
const LABELS = 3;
/** Sizes of a ball, as parts of the mechanism's radius. */
const SMALLEST = 0.02;
const LARGEST = 0.13;

export class Rates implements Part {
  private readonly group = new Group();
  private readonly material: MeshStandardMaterial;
  private readonly pace: Pace;
  private balls: Mesh[] = [];
  private readonly labels: Label[];

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost,
      "root" | "labels" | "palette" | "extent" | "invalidate"
    >,
    private readonly order: 1 | 2,
    private readonly color: (palette: Palette) => string,
  ) {
    this.material = glassy(color(context.palette), 0.6);
    // Seen through the joint they sit in.
    this.material.depthTest = false;
    this.pace = new Pace(context.studio);
    context.root.add(this.group);
    this.labels = Array.from({ length: LABELS }, () => context.labels.add("name"));
  }

  paint(palette: Palette): void {
    this.material.color.set(this.color(palette));
  }

  rebuild(): void {
    const { model } = this.context.studio;
    this.group.clear();
    this.balls = (model?.data.joints ?? []).map(() => mark(BALL, this.material));
    if (this.balls.length) this.group.add(...this.balls);
    this.pace.restart();
  }

  frame(): void {
    const { studio, extent } = this.context;
    const { model } = studio;
    if (!model || this.balls.length !== model.data.joints.length) return;
    const rates = this.order === 1 ? this.pace.velocity() : this.pace.acceleration();
    const found: { text: string; share: number; ball: Mesh }[] = [];
    model.data.joints.forEach((joint, i) => {
      let [rate, text] = [0, ""];
      for (let k = 0; k < joint.nv; k++) {
        const value = Math.abs(rates[joint.v + k] ?? 0);
        const unit = variableUnit(joint.type, k);
        const scaled = unit === "m" ? value / model.size : value;
        if (scaled <= rate) continue;
        rate = scaled;
        text = `${joint.name} ${rateText(value, unit, this.order, studio.settings)}`;
      }
      // Half of the full size at one radian per second: slow and fast are both seen.
      const share = rate / (rate + (this.order === 1 ? 1 : 8));
      const ball = this.balls[i];
      ball.visible = share > 0.02;
      ball.position.copy(jointPlace(model, studio.poses, i));
      ball.scale.setScalar((SMALLEST + (LARGEST - SMALLEST) * share) * extent);
      if (share > 0.05) found.push({ text, share, ball });
    });
    found.sort((a, b) => b.share - a.share);
    this.labels.forEach((label, i) => {
      label.visible = i < found.length;
      if (!label.visible) return;
      label.text = found[i].text;
      label.at = found[i].ball.position.toArray();
    });
    if (this.pace.isMoving) this.context.invalidate();
  }

  dispose(): void {
    this.group.removeFromParent();
    this.material.dispose();
    this.pace.dispose();
    for (const label of this.labels) label.remove();
  }
}
