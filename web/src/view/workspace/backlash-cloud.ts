// Where backlash lets the tool be: a cloud around it, magnified, and its extent as a box.
import type { BacklashHost } from "../../store/hosts.ts";
import type { BacklashFound } from "../../store/workspace/backlash.ts";
import { BoxFrame, Dots } from "../marks/dots.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";

export class BacklashCloud implements Part {
  private readonly dots: Dots;
  private readonly centre: Dots;
  private readonly box: BoxFrame;
  private readonly label: Label;
  private source: BacklashFound | null = null;
  private drawn = "";

  constructor(
    private readonly context: ViewContext<
      BacklashHost,
      "root" | "labels" | "palette" | "invalidate"
    >,
  ) {
    this.dots = new Dots(context.root, 0.75, 5);
    this.centre = new Dots(context.root, 1, 6);
    this.box = new BoxFrame(context.root, 0.9);
    // the cloud is smaller than the link that carries it: seen through it
    this.dots.solid = this.centre.solid = false;
    this.dots.size = 4;
    this.centre.size = 8;
    this.label = context.labels.add("note");
    this.label.visible = false;
    this.paint(context.palette);
  }

  paint(palette: Palette): void {
    this.dots.color = palette.motor;
    this.centre.color = palette.ink;
    this.box.color = palette.motor;
    this.context.invalidate();
  }

  rebuild(): void {
    this.drawn = "";
  }

  frame(): void {
    const { backlash } = this.context.studio;
    const key = `${backlash.shown} ${backlash.scale} ${backlash.stale}`;
    if (key === this.drawn && backlash.result === this.source) return;
    this.drawn = key;
    this.source = backlash.result;
    const result = backlash.shown && !backlash.stale ? backlash.result : null;
    this.label.visible = result !== null;
    if (!result) {
      this.dots.set(new Float32Array(0));
      this.centre.set(new Float32Array(0));
      this.box.hide();
      return;
    }
    const { at, cloud, lower, upper } = result;
    const { scale } = backlash;
    this.dots.set(cloud.map((x, i) => at[i % 3] + scale * x));
    this.centre.set(new Float32Array(at));
    const high = at.map((x, k) => x + scale * upper[k]);
    this.box.set(
      at.map((x, k) => x - scale * lower[k]),
      high,
    );
    this.label.text = scale === 1 ? "backlash, true scale" : `backlash × ${scale}`;
    this.label.at = [high[0], high[1], high[2]];
  }

  dispose(): void {
    this.dots.dispose();
    this.centre.dispose();
    this.box.dispose();
    this.label.remove();
  }
}
