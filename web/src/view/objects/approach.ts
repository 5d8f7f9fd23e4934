// The proposed way to an object: the line that the tool would take, and the phantom at its end.
import type { ModelHost, SceneHost } from "../../store/hosts.ts";
import type { Proposal } from "../../store/scene.ts";
import { Phantom, phantomMaterial } from "../ghosts.ts";
import { Polyline } from "../overlays/marks.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";

export class Approach implements Part {
  private readonly line: Polyline;
  private phantom: Phantom | null = null;
  private shown: Proposal | null = null;

  constructor(
    private readonly context: ViewContext<
      ModelHost & SceneHost,
      "root" | "links" | "palette" | "extent"
    >,
  ) {
    this.line = new Polyline(context.root, context.palette.accent, 3);
    this.line.line.visible = false;
  }

  paint(palette: Palette): void {
    this.line.color = palette.accent;
    this.phantom?.material.color.set(this.color);
  }

  rebuild(): void {
    this.clear();
  }

  frame(): void {
    const { studio } = this.context;
    const { proposal } = studio.scene;
    if (proposal === this.shown) return;
    this.clear();
    this.shown = proposal;
    const { model } = studio;
    if (!proposal || !model) return;
    this.line.color = this.color;
    const site = 7 * model.site(proposal.plan.frame);
    this.line.set(proposal.path.map((q) => model.forward(q).slice(site + 4, site + 7)));
    this.phantom = new Phantom(this.context, phantomMaterial(this.color, 0.32));
    this.phantom.pose(proposal.path[proposal.path.length - 1]);
  }

  dispose(): void {
    this.clear();
    this.line.dispose();
  }

  private get color(): string {
    const { palette, studio } = this.context;
    return studio.scene.proposal?.plan.reached === false ? palette.danger : palette.accent;
  }

  private clear(): void {
    this.phantom?.dispose();
    this.phantom = this.shown = null;
    this.line.line.visible = false;
  }
}
