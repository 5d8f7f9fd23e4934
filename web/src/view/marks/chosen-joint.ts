// The chosen joint: a ring around its axis, and its name.
import { type Mesh, type MeshBasicMaterial, TorusGeometry } from "three";
import type { ChoiceHost, ModelHost } from "../../store/hosts.ts";
import { jointFrame, jointPlace } from "./joints.ts";
import type { Label } from "../labels/labels.ts";
import { mark, plain } from "../overlays/marks.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";

export class ChosenJoint implements Part {
  private readonly material: MeshBasicMaterial;
  private readonly ring: Mesh;
  private readonly label: Label;

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost,
      "root" | "labels" | "palette" | "extent"
    >,
  ) {
    this.material = plain(context.palette.accent, 0.95);
    this.ring = mark(new TorusGeometry(1, 0.07, 10, 56), this.material, 7);
    this.label = context.labels.add("note");
    context.root.add(this.ring);
  }

  paint(palette: Palette): void {
    this.material.color.set(palette.accent);
  }

  frame(): void {
    const { selection, model, poses } = this.context.studio;
    const joint = selection?.kind === "joint" ? model?.data.joints[selection.index] : undefined;
    this.ring.visible = this.label.visible = joint !== undefined;
    if (!joint || !model || !selection) return;
    const { position, quaternion, scale } = this.ring;
    jointFrame(model, poses, selection.index).decompose(position, quaternion, scale);
    position.copy(jointPlace(model, poses, selection.index));
    scale.setScalar(0.11 * this.context.extent);
    this.label.at = position.toArray();
    this.label.text = joint.name;
  }

  dispose(): void {
    this.ring.removeFromParent();
    this.ring.geometry.dispose();
    this.material.dispose();
    this.label.remove();
  }
}
