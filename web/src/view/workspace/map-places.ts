// The box of a joint-space map: its places as dots, by whether the chosen branch gets there.
import { Vector3 } from "three";
import type { MapHost } from "../../store/hosts.ts";
import {
  type JointMapFound,
  OUT_OF_LIMITS,
  OUT_OF_REACH,
  placeOf,
  REACHED,
} from "../../store/workspace/joint-maps.ts";
import { BoxFrame, Dots } from "../marks/dots.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";

/** By state, in light and in dark; the panel's legend has the same. */
export const PLACE_COLORS = {
  light: ["#c1272d", "#d98200", "#1a8f55"],
  dark: ["#ff8080", "#f0b03c", "#62cf94"],
} as const;

export class MapPlaces implements Part {
  private readonly dots: Dots[];
  private readonly mark: Dots;
  private readonly box: BoxFrame;
  private drawn = "";
  private source: JointMapFound | null = null;

  constructor(private readonly context: ViewContext<MapHost, "root" | "palette" | "invalidate">) {
    this.dots = [OUT_OF_REACH, OUT_OF_LIMITS, REACHED].map(
      (state) => new Dots(context.root, state === OUT_OF_REACH ? 0.45 : 0.85),
    );
    this.mark = new Dots(context.root, 1, 6);
    this.mark.solid = false;
    this.box = new BoxFrame(context.root);
    this.paint(context.palette);
  }

  paint(palette: Palette): void {
    const colors = PLACE_COLORS[palette.dark ? "dark" : "light"];
    this.dots.forEach((dots, state) => (dots.color = colors[state]));
    this.mark.color = palette.accent;
    this.box.color = palette.faint;
    this.context.invalidate();
  }

  rebuild(): void {
    this.drawn = "";
  }

  frame(): void {
    const { maps } = this.context.studio;
    const { box, result } = maps;
    const key = JSON.stringify([maps.shown, box, maps.branch, maps.stale]);
    if (key !== this.drawn || result !== this.source) {
      this.drawn = key;
      this.source = result;
      this.draw();
    }
    const place = maps.shown && result && maps.hovered !== null ? maps.hovered : null;
    this.mark.set(new Float32Array(place === null ? [] : placeOf(result!, place)));
  }

  places(): Vector3[] {
    const { shown, box } = this.context.studio.maps;
    if (!shown || !box) return [];
    return [0, 1].flatMap((i) =>
      [0, 1].flatMap((j) => [0, 1].map((k) => new Vector3(box.x[i], box.y[j], box.z[k]))),
    );
  }

  dispose(): void {
    for (const dots of [...this.dots, this.mark]) dots.dispose();
    this.box.dispose();
  }

  private draw(): void {
    const { maps } = this.context.studio;
    const { box, result, shown } = maps;
    if (shown && box) this.box.set([box.x[0], box.y[0], box.z[0]], [box.x[1], box.y[1], box.z[1]]);
    else this.box.hide();
    const states = result?.branches[maps.branch]?.states;
    const crowd = result ? Math.cbrt(result.count) : 1;
    this.dots.forEach((dots, state) => {
      if (!shown || !result || !states || maps.stale) {
        dots.set(new Float32Array(0));
        return;
      }
      const places: number[] = [];
      for (let i = 0; i < result.count; i++)
        if (states[i] === state) places.push(...placeOf(result, i));
      const size = Math.max(3, Math.min(7, 80 / crowd));
      dots.size = state === OUT_OF_REACH ? 0.6 * size : size;
      dots.set(new Float32Array(places));
    });
    this.mark.size = 12;
  }
}
