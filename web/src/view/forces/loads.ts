// Load on links by colour: the strongest force that a joint passes on to them.
import { Color, Mesh, MeshBasicMaterial } from "three";
import { linkLoads } from "../../store/simulation/loads.ts";
import type { Part, ViewContext } from "../part.ts";

/** From little to much; distinct to colour-blind eyes too. */
export const LOAD_COLORS = ["#3b6fb6", "#5fb7c9", "#f2e6a0", "#f0a04b", "#c8342d"] as const;
const SCALE = LOAD_COLORS.map((one) => new Color(one));

interface Skin {
  mesh: Mesh;
  material: MeshBasicMaterial;
}

export class LinkLoads implements Part {
  private skins: Skin[] = [];

  constructor(private readonly context: ViewContext) {}

  rebuild(): void {
    this.clear();
    this.skins = this.context.links.views.map((view) => {
      const material = new MeshBasicMaterial({ transparent: true, opacity: 0.72 });
      material.polygonOffset = true;
      material.polygonOffsetFactor = material.polygonOffsetUnits = -1;
      const mesh = new Mesh(view.solid.geometry, material);
      mesh.raycast = () => undefined;
      mesh.renderOrder = 2;
      view.group.add(mesh);
      return { mesh, material };
    });
  }

  frame(): void {
    const { studio, links } = this.context;
    const { loadMost, acting } = studio.simulation;
    const reactions = acting && studio.simulation.reactions;
    const loads = linkLoads(studio.model?.data.joints ?? [], reactions);
    this.skins.forEach(({ mesh, material }, i) => {
      mesh.visible = i > 0 && loads.length > 0 && loadMost > 0;
      if (!mesh.visible) return;
      mesh.geometry = links.views[i].solid.geometry;
      loadColor((loads[i] ?? 0) / loadMost, material.color);
    });
  }

  dispose(): void {
    this.clear();
  }

  private clear(): void {
    for (const { mesh, material } of this.skins) {
      mesh.removeFromParent();
      material.dispose();
    }
    this.skins = [];
  }
}

/** The colour of a share of 0 … 1. */
export function loadColor(share: number, out = new Color()): Color {
  const at = Math.min(1, Math.max(0, share)) * (SCALE.length - 1);
  const i = Math.min(SCALE.length - 2, Math.floor(at));
  return out.lerpColors(SCALE[i], SCALE[i + 1], at - i);
}
