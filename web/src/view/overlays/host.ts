// Shows the overlays that the settings ask for.
import "./builtin.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { overlayKind } from "./registry.ts";

export class Overlays implements Part {
  private readonly shown = new Map<string, Part>();

  constructor(private readonly context: ViewContext) {}

  paint(palette: Palette): void {
    for (const part of this.shown.values()) part.paint?.(palette);
  }

  rebuild(): void {
    for (const part of this.shown.values()) part.rebuild?.();
  }

  frame(seconds: number): void {
    const asked: readonly string[] = this.context.studio.settings.overlays;
    for (const [name, part] of this.shown) {
      if (asked.includes(name)) continue;
      part.dispose();
      this.shown.delete(name);
    }
    for (const name of asked) {
      const kind = overlayKind(name);
      if (!kind || this.shown.has(name)) continue;
      const part = kind.create(this.context);
      part.paint?.(this.context.palette);
      part.rebuild?.();
      this.shown.set(name, part);
    }
    for (const part of this.shown.values()) part.frame?.(seconds);
  }

  dispose(): void {
    for (const part of this.shown.values()) part.dispose();
    this.shown.clear();
  }
}
