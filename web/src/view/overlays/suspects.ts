// Suspect joints of a diagnosis: their axes in red, with what was found.
import { CylinderGeometry, type Mesh, type MeshBasicMaterial } from "three";
import type { ChoiceHost, ModelHost } from "../../store/hosts.ts";
import { jointFrame } from "../marks/joints.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { mark, plain } from "./marks.ts";

export class Suspects implements Part {
  private readonly rod = new CylinderGeometry(0.007, 0.007, 1, 10).rotateX(Math.PI / 2);
  private readonly material: MeshBasicMaterial;
  private shown: { axis: Mesh; label: Label }[] = [];

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost,
      "root" | "labels" | "palette" | "extent"
    >,
  ) {
    this.material = plain(context.palette.danger, 0.9);
  }

  paint(palette: Palette): void {
    this.material.color.set(palette.danger);
  }

  frame(): void {
    const { studio, extent, root, labels } = this.context;
    const { model, overlay, poses } = studio;
    const suspects = model ? overlay.suspects : [];
    while (this.shown.length < suspects.length) {
      const axis = mark(this.rod, this.material, 6);
      root.add(axis);
      this.shown.push({ axis, label: labels.add("alarm") });
    }
    this.shown.forEach(({ axis, label }, i) => {
      const joint = model?.data.joints.findIndex((one) => one.name === suspects[i]?.joint) ?? -1;
      axis.visible = label.visible = joint >= 0;
      if (joint < 0 || !model) return;
      jointFrame(model, poses, joint).decompose(axis.position, axis.quaternion, axis.scale);
      axis.scale.setScalar(0.7 * extent);
      label.at = axis.position.toArray();
      label.text = `${suspects[i].joint}: ${suspects[i].text}`;
    });
  }

  dispose(): void {
    for (const { axis, label } of this.shown) {
      axis.removeFromParent();
      label.remove();
    }
    this.rod.dispose();
    this.material.dispose();
  }
}
