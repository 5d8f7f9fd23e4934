// Load on links by colour: the strongest force that a joint passes on to them.
import { Color, Mesh, MeshBasicMaterial } from "three";
import type { Part, ViewContext } from "../part.ts";

/** From little to much; told apart by colour-blind eyes too. */
const SCALE = ["#3b6fb6", "#5fb7c9", "#f2e6a0", "#f0a04b", "#c8342d"].map((one) => new Color(one));

interface Skin {
  mesh: Mesh;
  material: MeshBasicMaterial;
}

export class LinkLoads implements Part {
  private skins: Skin[] = [];
  private most = 0;

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
    const loads = linkLoads(studio.model?.data.joints ?? [], studio.simulation.reactions);
    this.most = Math.max(0.99 * this.most, ...loads);
    this.skins.forEach(({ mesh, material }, i) => {
      mesh.visible = i > 0 && loads.length > 0 && this.most > 0;
      if (!mesh.visible) return;
      mesh.geometry = links.views[i].solid.geometry;
      loadColor((loads[i] ?? 0) / this.most, material.color);
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

/** Of every link the strongest force of its joints [N]; none where forces are not told. */
export function linkLoads(
  joints: readonly { parent: number; child: number }[],
  reactions: Float64Array | null,
): number[] {
  if (reactions === null || reactions.length < 6 * joints.length) return [];
  const loads: number[] = [];
  joints.forEach(({ parent, child }, i) => {
    const force = Math.hypot(reactions[6 * i], reactions[6 * i + 1], reactions[6 * i + 2]);
    for (const link of [parent, child]) loads[link] = Math.max(loads[link] ?? 0, force);
  });
  return Array.from(loads, (load) => load ?? 0);
}

/** The colour of a share of 0 … 1. */
export function loadColor(share: number, out = new Color()): Color {
  const at = Math.min(1, Math.max(0, share)) * (SCALE.length - 1);
  const i = Math.min(SCALE.length - 2, Math.floor(at));
  return out.lerpColors(SCALE[i], SCALE[i + 1], at - i);
}
