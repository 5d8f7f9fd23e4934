// Load on links by colour: the strongest force that a joint passes on to them.
import { Color } from "three";
import type { ModelHost, SimulationHost } from "../../store/hosts.ts";
import { linkLoads } from "../../store/simulation/loads.ts";
import { Skin } from "../links/skins.ts";
import type { Part, ViewContext } from "../part.ts";

/** From little to much; distinct to colour-blind eyes too. */
export const LOAD_COLORS = ["#3b6fb6", "#5fb7c9", "#f2e6a0", "#f0a04b", "#c8342d"] as const;
const SCALE = LOAD_COLORS.map((one) => new Color(one));

export class LinkLoads implements Part {
  private skins: Skin[] = [];
  private readonly color = new Color();

  constructor(private readonly context: ViewContext<ModelHost & SimulationHost, "links">) {}

  rebuild(): void {
    this.dispose();
    this.skins = this.context.links.views.map((view) => new Skin(view.group));
  }

  frame(): void {
    const { studio } = this.context;
    const { acting, jointForces } = studio.simulation;
    const { loadMost } = jointForces;
    const reactions = acting && jointForces.reactions;
    const loads = linkLoads(studio.model?.data.joints ?? [], reactions);
    this.skins.forEach((skin, i) => {
      const isKnown = i > 0 && loads.length > 0 && loadMost > 0;
      skin.paint(isKnown ? loadColor((loads[i] ?? 0) / loadMost, this.color) : null);
    });
  }

  dispose(): void {
    for (const skin of this.skins) skin.dispose();
    this.skins = [];
  }
}

/** The colour of a share of 0 … 1. */
export function loadColor(share: number, out = new Color()): Color {
  const at = Math.min(1, Math.max(0, share)) * (SCALE.length - 1);
  const i = Math.min(SCALE.length - 2, Math.floor(at));
  return out.lerpColors(SCALE[i], SCALE[i + 1], at - i);
}
