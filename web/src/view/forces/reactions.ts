// Forces that joints pass on: an arrow at each, as strong as the force on the outer link.
import { Vector3 } from "three";
import type { ModelHost, SimulationHost } from "../../store/hosts.ts";
import { jointPlace } from "../marks/joints.ts";
import type { Label } from "../labels/labels.ts";
import { plain } from "../overlays/marks.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { forceText } from "../units.ts";
import { Arrow, arrowLength } from "./arrow.ts";

/** So many of the strongest say how strong they are. */
const LABELS = 4;

export class Reactions implements Part {
  private readonly material;
  private arrows: Arrow[] = [];
  private readonly labels: Label[];
  private most = 0;

  constructor(
    private readonly context: ViewContext<
      ModelHost & SimulationHost,
      "root" | "labels" | "palette" | "extent"
    >,
  ) {
    this.material = plain(context.palette.axes[1], 0.95);
    this.labels = Array.from({ length: LABELS }, () => context.labels.add("name"));
  }

  paint(palette: Palette): void {
    this.material.color.set(palette.axes[1]);
  }

  rebuild(): void {
    for (const arrow of this.arrows) arrow.remove();
    const joints = this.context.studio.model?.data.joints ?? [];
    this.arrows = joints.map(() => new Arrow(this.context.root, this.material, 7));
    this.most = 0;
  }

  frame(): void {
    const { studio, extent } = this.context;
    const { model, poses } = studio;
    const reactions = studio.simulation.acting && studio.simulation.jointForces.reactions;
    const found: { at: Vector3; force: number }[] = [];
    const forces = this.arrows.map((_, i) =>
      reactions && reactions.length >= 6 * i + 6
        ? new Vector3(reactions[6 * i], reactions[6 * i + 1], reactions[6 * i + 2])
        : null,
    );
    this.most = Math.max(0.985 * this.most, ...forces.map((force) => force?.length() ?? 0));
    this.arrows.forEach((arrow, i) => {
      const force = forces[i];
      const share = force && this.most > 0 ? force.length() / this.most : 0;
      if (!model || !force || share < 0.005) {
        arrow.hide();
        return;
      }
      const at = jointPlace(model, poses, i);
      arrow.show(at, force, arrowLength(share) * extent, 0.009 * extent);
      found.push({
        at: at.addScaledVector(force, (arrowLength(share) * extent) / force.length()),
        force: force.length(),
      });
    });
    found.sort((a, b) => b.force - a.force);
    this.labels.forEach((label, i) => {
      label.visible = i < found.length;
      if (!label.visible) return;
      label.text = forceText(found[i].force);
      label.at = found[i].at.toArray();
    });
  }

  dispose(): void {
    for (const arrow of this.arrows) arrow.remove();
    this.material.dispose();
    for (const label of this.labels) label.remove();
  }
}
