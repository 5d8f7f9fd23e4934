// Free motions: a phantom that swings to and fro along one of them.
import type { ChoiceHost, ModelHost } from "../../store/hosts.ts";
import { Phantom, phantomMaterial } from "../ghosts.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";

/** How far the fastest joint swings [rad, sizes of the mechanism]. */
const SWING = 0.3;
/** Time of one swing there and back [s]. */
const PERIOD = 2.4;

export class FreeMotions implements Part {
  private phantom: Phantom | null = null;
  private time = 0;
  private playing: number | null = null;

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost,
      "root" | "links" | "palette" | "extent" | "invalidate"
    >,
  ) {}

  paint(palette: Palette): void {
    this.phantom?.material.color.set(palette.accent);
  }

  rebuild(): void {
    this.clear();
  }

  frame(seconds: number): void {
    const { studio } = this.context;
    const { freeMotions, playing } = studio.overlay;
    const motion = playing === null ? undefined : freeMotions[playing];
    if (!motion || !studio.model || motion.length !== studio.model.nv) {
      this.clear();
      return;
    }
    if (playing !== this.playing) this.time = 0;
    this.playing = playing;
    this.phantom ??= new Phantom(this.context, phantomMaterial(this.context.palette.accent, 0.4));
    this.time += seconds;
    const share = SWING * Math.sin((2 * Math.PI * this.time) / PERIOD);
    const q = studio.model.integrate(
      studio.q,
      motion.map((x) => x * share),
    );
    // What the loops forbid beyond the first order is put right; else the phantom stays.
    if (studio.model.close(q).outcome !== "stuck") this.phantom.pose(q);
    this.context.invalidate();
  }

  dispose(): void {
    this.clear();
  }

  private clear(): void {
    this.phantom?.dispose();
    this.phantom = null;
  }
}
