// Shows the overlays that the settings ask for.
import type { Overlay } from "../../store/settings.ts";
import type { Palette } from "../links/palette.ts";
import type { Part } from "../part.ts";
import { KINDS, type OverlayContext } from "./kinds.ts";

export class Overlays implements Part {
  private readonly shown = new Map<Overlay, Part>();

  constructor(private readonly context: OverlayContext) {}

  paint(palette: Palette): void {
    for (const part of this.shown.values()) part.paint?.(palette);
  }

  rebuild(): void {
    for (const part of this.shown.values()) part.rebuild?.();
  }

  frame(seconds: number): void {
    const asked = this.context.studio.settings.overlays;
    for (const [name, part] of this.shown) {
      if (asked.includes(name)) continue;
      part.dispose();
      this.shown.delete(name);
    }
    for (const name of asked) {
      if (name === "frames" || this.shown.has(name)) continue;
      const part = KINDS[name](this.context);
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
