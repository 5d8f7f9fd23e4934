// Forces in the joints: reported only while something shows them, and known only of that pose.
import type { ChoiceHost, ModelHost } from "../hosts.ts";
import { linkLoads } from "./loads.ts";

/** How much of the greatest load is left when forces are reported next. */
const FADES = 0.96;

export class JointForces {
  /** As last reported; null where they are not. */
  reactions: Float64Array | null = null;
  /** The greatest recent load on a link [N]: loads are coloured by their share of it. */
  loadMost = 0;
  /** Whether a chart of what a joint bears is open. */
  charted = false;

  constructor(private readonly studio: ModelHost & ChoiceHost) {}

  /** What joint forces are wanted depends on what is shown. */
  get areWanted(): boolean {
    const { overlays } = this.studio.settings;
    return this.charted || overlays.includes("reactions") || overlays.includes("loads");
  }

  took(reactions: Float64Array): void {
    this.reactions = reactions;
    const loads = linkLoads(this.studio.model?.data.joints ?? [], reactions);
    this.loadMost = Math.max(FADES * this.loadMost, ...loads);
  }

  /** What is not known is not shown. */
  forget(): void {
    this.reactions = null;
    this.loadMost = 0;
  }
}
