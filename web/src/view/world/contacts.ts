// Contacts of a simulation: where bodies press on each other, with arrows as strong as the forces.
import { Vector3 } from "three";
import type { SimulationHost } from "../../store/hosts.ts";
import { Dots } from "../marks/dots.ts";
import { Arrow, arrowLength } from "../forces/arrow.ts";
import type { Label } from "../labels/labels.ts";
import { plain } from "../overlays/marks.ts";
import type { Part, ViewContext } from "../part.ts";
import { forceText } from "../units.ts";

/** Numbers of a contact in a frame: place, force. */
const CONTACT = 6;
/** Arrows at most; of more contacts the strongest have one. */
const MOST = 60;
/** So many of the strongest say how strong they are. */
const LABELS = 3;

export class Contacts implements Part {
  private readonly material = plain("#e0447c", 0.95);
  private readonly arrows: Arrow[] = [];
  private readonly dots: Dots;
  private readonly labels: Label[];
  /** The strongest force lately [N]: arrows are as long as their share of it. */
  private most = 0;

  constructor(private readonly context: ViewContext<SimulationHost, "root" | "labels" | "extent">) {
    this.dots = new Dots(context.root, 1, 7);
    this.dots.color = "#e0447c";
    this.dots.size = 7;
    this.labels = Array.from({ length: LABELS }, () => context.labels.add("name"));
  }

  frame(): void {
    const { studio, extent, root } = this.context;
    const rows = studio.simulation.acting?.touches ?? new Float64Array();
    const found: { at: Vector3; force: Vector3; size: number }[] = [];
    for (let i = 0; i + CONTACT <= rows.length; i += CONTACT) {
      const force = new Vector3().fromArray(rows, i + 3);
      found.push({ at: new Vector3().fromArray(rows, i), force, size: force.length() });
    }
    this.dots.set(Float32Array.from(found.flatMap(({ at }) => at.toArray())), null);
    found.sort((a, b) => b.size - a.size);
    this.most = Math.max(0.985 * this.most, found[0]?.size ?? 0);
    const shown = found.slice(0, MOST);
    while (this.arrows.length < shown.length) this.arrows.push(new Arrow(root, this.material, 7));
    this.arrows.forEach((arrow, i) => {
      const one = shown[i];
      if (!one || one.size < 0.005 * this.most) arrow.hide();
      else arrow.show(one.at, one.force, this.length(one.size), 0.007 * extent);
    });
    this.labels.forEach((label, i) => {
      const one = shown[i];
      label.visible = one !== undefined && one.size > 0.05 * this.most;
      if (!one || !label.visible) return;
      label.text = forceText(one.size);
      label.at = one.at.addScaledVector(one.force, this.length(one.size) / one.size).toArray();
    });
  }

  dispose(): void {
    for (const arrow of this.arrows) arrow.remove();
    this.material.dispose();
    this.dots.dispose();
    for (const label of this.labels) label.remove();
  }

  private length(size: number): number {
    return arrowLength(size / this.most) * this.context.extent;
  }
}
