// Balls at the joints, as large as the joints are fast, or as they are accelerated.
import { Group, type Mesh, type MeshStandardMaterial } from "three";
import { jointPlace } from "../joints.ts";
import type { Palette } from "../palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { BALL, glassy, mark } from "./marks.ts";
import { Pace } from "./pace.ts";

/** Full size of a ball, as a part of the mechanism's radius. */
const LARGEST = 0.11;

export class Rates implements Part {
  private readonly group = new Group();
  private readonly material: MeshStandardMaterial;
  private readonly pace: Pace;
  private balls: Mesh[] = [];

  constructor(
    private readonly context: ViewContext,
    private readonly order: 1 | 2,
    private readonly color: (palette: Palette) => string,
  ) {
    this.material = glassy(color(context.palette), 0.55);
    this.pace = new Pace(context.studio);
    context.root.add(this.group);
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
    model.data.joints.forEach((joint, i) => {
      let rate = 0;
      for (let k = joint.v; k < joint.v + joint.nv; k++) {
        const value = Math.abs(rates[k] ?? 0);
        rate = Math.max(rate, joint.type === "prismatic" ? value / model.size : value);
      }
      // Half of the full size at one radian per second: slow and fast are both seen.
      const share = rate / (rate + (this.order === 1 ? 1 : 8));
      const ball = this.balls[i];
      ball.visible = share > 0.02;
      ball.position.copy(jointPlace(model, studio.poses, i));
      ball.scale.setScalar(LARGEST * extent * share);
    });
    if (this.pace.isMoving) this.context.invalidate();
  }

  dispose(): void {
    this.group.removeFromParent();
    this.material.dispose();
    this.pace.dispose();
  }
}
