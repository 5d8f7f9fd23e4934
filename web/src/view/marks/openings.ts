// Loops that do not close: a red line across each gap, with its size.
import type { ChoiceHost, DragHost } from "../../store/hosts.ts";
import { gapWords } from "../condition-words.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { Polyline } from "../overlays/marks.ts";

export class Openings implements Part {
  private shown: { line: Polyline; label: Label }[] = [];

  constructor(
    private readonly context: ViewContext<DragHost & ChoiceHost, "root" | "labels" | "palette">,
  ) {}

  paint(palette: Palette): void {
    for (const { line } of this.shown) line.color = palette.danger;
  }

  frame(): void {
    const { studio, root, labels, palette } = this.context;
    const { openings } = studio.condition;
    while (this.shown.length < openings.length)
      this.shown.push({ line: new Polyline(root, palette.danger, 4), label: labels.add("alarm") });
    this.shown.forEach(({ line, label }, i) => {
      const opening = openings[i];
      line.set(opening && opening.distance > 0 ? [opening.from, opening.to] : []);
      label.visible = opening !== undefined;
      if (!opening) return;
      label.at = opening.from.map((x, k) => (x + opening.to[k]) / 2) as [number, number, number];
      label.text = `${opening.joint}: open by ${gapWords(opening, studio.settings)}`;
    });
  }

  dispose(): void {
    for (const { line, label } of this.shown) {
      line.dispose();
      label.remove();
    }
    this.shown = [];
  }
}
