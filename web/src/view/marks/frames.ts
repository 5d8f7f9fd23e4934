// Named frames as small triads with their names, and the frame that is chosen.
import { Matrix4 } from "three";
import type { ChoiceHost, ModelHost } from "../../store/hosts.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { poseMatrix } from "../spaces.ts";
import { Triad } from "./triad.ts";

export class NamedFrames implements Part {
  private triads: { triad: Triad; label: Label; site: number; isFrame: boolean }[] = [];
  private readonly scale = new Matrix4();
  private readonly pose = new Matrix4();

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost,
      "root" | "labels" | "palette" | "extent"
    >,
  ) {}

  paint(palette: Palette): void {
    for (const { triad } of this.triads) triad.paint(palette);
  }

  rebuild(): void {
    const { model } = this.context.studio;
    const count = model ? model.siteCount : 0;
    if (this.triads.length === count && model) {
      this.triads.forEach(({ label }, i) => (label.text = model.siteNames[i]));
      return;
    }
    this.clear();
    for (let site = 0; model && site < count; site++) {
      const triad = new Triad();
      triad.matrixAutoUpdate = false;
      triad.paint(this.context.palette);
      this.context.root.add(triad);
      const label = this.context.labels.add("name", model.siteNames[site]);
      this.triads.push({ triad, label, site, isFrame: site >= model.linkCount });
    }
  }

  frame(): void {
    const { studio, extent } = this.context;
    const { settings, selection, model, poses } = studio;
    const all = settings.overlays.includes("frames");
    for (const { triad, label, site, isFrame } of this.triads) {
      const index = isFrame && model ? site - model.linkCount : site;
      const chosen = selection?.kind === (isFrame ? "frame" : "link") && selection.index === index;
      const named = isFrame && settings.showFrames;
      label.visible = all || named || (chosen && isFrame);
      // The gizmo of a chosen frame has arrows of its own.
      triad.visible = label.visible && !(chosen && settings.dragMode !== "point");
      if (!label.visible || poses.length < 7 * (site + 1)) continue;
      const size = (chosen ? 0.16 : isFrame ? 0.12 : 0.085) * extent;
      this.scale.makeScale(size, size, size);
      triad.matrix.multiplyMatrices(poseMatrix(poses, site, this.pose), this.scale);
      triad.matrixWorldNeedsUpdate = true;
      label.at = [poses[7 * site + 4], poses[7 * site + 5], poses[7 * site + 6]];
    }
  }

  dispose(): void {
    this.clear();
  }

  private clear(): void {
    for (const { triad, label } of this.triads) {
      triad.removeFromParent();
      triad.release();
      label.remove();
    }
    this.triads = [];
  }
}
