// The way to the nearest other link or object, by rough bodies: 'about' so many millimetres.
import type { ChoiceHost, DragHost, ModelHost, SceneHost } from "../../store/hosts.ts";
import { shapesFromSpec } from "../../shapes/index.ts";
import { along, distance, subtract, type Vec3 } from "../../shapes/vectors.ts";
import { applyPose, poseAt } from "../../kernel/spatial.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { lengthText } from "../units.ts";
import { nearest, type Rod, rodsOf } from "./capsules.ts";
import { Polyline } from "./marks.ts";

export class Clearance implements Part {
  private readonly line: Polyline;
  private readonly label: Label;
  private rods: Rod[][] = [];
  private neighbours: Set<number>[] = [];

  constructor(
    private readonly context: ViewContext<
      ModelHost & DragHost & ChoiceHost & SceneHost,
      "root" | "links" | "labels" | "palette"
    >,
  ) {
    this.line = new Polyline(context.root, context.palette.motor);
    this.label = context.labels.add("note");
  }

  paint(palette: Palette): void {
    this.line.color = palette.dark ? palette.motor : palette.danger;
  }

  rebuild(): void {
    const { studio, links } = this.context;
    this.rods = links.views.map((view) => view.primitives.flatMap(rodsOf));
    this.neighbours = links.views.map((view) => new Set([view.index]));
    for (const { parent, child } of studio.model?.data.joints ?? []) {
      this.neighbours[parent]?.add(child);
      this.neighbours[child]?.add(parent);
    }
    this.settle();
  }

  frame(): void {
    const { studio } = this.context;
    const link = this.link();
    const found = link === null ? null : this.find(link);
    this.line.line.visible = this.label.visible = found !== null;
    if (!found) return;
    this.line.set([found.from, found.to]);
    this.label.at = along(found.from, subtract(found.to, found.from), 0.5);
    const { lengthUnit } = studio.settings;
    this.label.text =
      found.gap > 0
        ? `about ${lengthText(found.gap, lengthUnit)} to ${found.name}`
        : `may touch ${found.name}`;
  }

  dispose(): void {
    this.line.dispose();
    this.label.remove();
  }

  /** Links that touch in the file's start are built so, as the parts of a wrist: no news. */
  private settle(): void {
    const { model } = this.context.studio;
    if (!model) return;
    const poses = model.forward(model.start());
    const placed = this.rods.map((rods, i) => rods.map((rod) => moved(rod, poses, i)));
    placed.forEach((own, i) =>
      placed.slice(0, i).forEach((others, k) => {
        if (!own.some((one) => others.some((other) => nearest(one, other).gap <= 0))) return;
        this.neighbours[i].add(k);
        this.neighbours[k].add(i);
      }),
    );
  }

  /** The grabbed or chosen link, else the last one. */
  private link(): number | null {
    const { studio } = this.context;
    const { model, selection } = studio;
    if (!model || this.rods.length < 2) return null;
    const site = studio.grabs[0]?.spec.site;
    if (site !== undefined) return model.siteLink(site);
    if (selection?.kind === "link") return selection.index;
    if (selection?.kind === "frame") return model.data.frames[selection.index]?.link ?? null;
    return this.rods.length - 1;
  }

  private find(link: number) {
    const { studio } = this.context;
    const placed = (index: number) =>
      this.rods[index].map((rod) => moved(rod, studio.poses, index));
    const own = placed(link);
    let best: { from: Vec3; to: Vec3; gap: number; name: string } | null = null;
    const look = (rods: Rod[], name: string) => {
      for (const one of own)
        for (const other of rods) {
          const { p, q, gap } = nearest(one, other);
          if (best && gap >= best.gap) continue;
          const far = distance(p, q) || 1;
          const way = subtract(q, p);
          best = {
            from: along(p, way, Math.min(0.5, one.radius / far)),
            to: along(q, way, -Math.min(0.5, other.radius / far)),
            gap,
            name,
          };
        }
    };
    this.rods.forEach((_, index) => {
      if (!this.neighbours[link].has(index))
        look(placed(index), studio.model?.data.links[index] ?? "");
    });
    for (const object of studio.snapshot?.objects ?? []) {
      const rods = shapesFromSpec(object.shape, []).flatMap(rodsOf);
      const poses = Float64Array.from(studio.scene.pose(object.name) ?? object.pose);
      look(
        rods.map((rod) => moved(rod, poses, 0)),
        object.name,
      );
    }
    return best as { from: Vec3; to: Vec3; gap: number; name: string } | null;
  }
}

function moved(rod: Rod, poses: Float64Array, index: number): Rod {
  const pose = poseAt(poses, index);
  return { a: applyPose(pose, rod.a), b: applyPose(pose, rod.b), radius: rod.radius };
}
