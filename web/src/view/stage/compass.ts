// The world's axes in the corner; a click on one looks along it.
import { Vector3 } from "three";
import type { Palette } from "../links/palette.ts";
import type { Part, Pieces } from "../part.ts";

const SIZE = 76;
const REACH = 25;
const NS = "http://www.w3.org/2000/svg";

interface End {
  axis: number;
  sign: 1 | -1;
  dot: SVGCircleElement;
  line: SVGLineElement | null;
  name: SVGTextElement | null;
}

export class Compass implements Part {
  private readonly svg = document.createElementNS(NS, "svg");
  private readonly ends: End[] = [];
  private palette: Palette;

  constructor(
    private readonly context: Pick<Pieces, "labels" | "camera" | "palette" | "invalidate">,
  ) {
    this.palette = context.palette;
    const { svg } = this;
    svg.setAttribute("viewBox", `${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`);
    svg.setAttribute("aria-label", "Axes of the world");
    svg.classList.add("kg-compass");
    Object.assign(svg.style, {
      position: "absolute",
      left: "10px",
      bottom: "10px",
      width: `${SIZE}px`,
      height: `${SIZE}px`,
      overflow: "visible",
    });
    for (const axis of [0, 1, 2]) {
      this.ends.push(this.end(axis, 1), this.end(axis, -1));
    }
    context.labels.layer.append(svg);
  }

  paint(palette: Palette): void {
    this.palette = palette;
  }

  frame(): void {
    const basis = this.context.camera.basis();
    const placed = this.ends.map((end) => {
      const [x, y, z] = basis.map((v) => end.sign * v.getComponent(end.axis));
      return { end, x: x * REACH, y: -y * REACH, z };
    });
    placed.sort((a, b) => a.z - b.z);
    for (const { end, x, y, z } of placed) {
      const color = this.palette.axes[end.axis];
      const away = z < -0.1 ? 0.55 : 1;
      set(end.dot, { cx: x, cy: y, fill: end.sign > 0 ? color : this.palette.floor });
      set(end.dot, { stroke: color, opacity: end.sign > 0 ? away : 0.65 * away });
      if (end.line) {
        set(end.line, { x2: x, y2: y, stroke: color, opacity: away });
        this.svg.append(end.line);
      }
      this.svg.append(end.dot);
      if (end.name) {
        set(end.name, { x, y: y + 3.4, fill: this.palette.dark ? "#10141a" : "#ffffff" });
        this.svg.append(end.name);
      }
    }
  }

  dispose(): void {
    this.svg.remove();
  }

  private end(axis: number, sign: 1 | -1): End {
    const dot = document.createElementNS(NS, "circle");
    set(dot, { r: sign > 0 ? 7.5 : 4.5, "stroke-width": sign > 0 ? 0 : 1.2 });
    dot.style.pointerEvents = "auto";
    dot.style.cursor = "pointer";
    const title = document.createElementNS(NS, "title");
    title.textContent = `Look from ${sign > 0 ? "+" : "−"}${"xyz"[axis]}`;
    dot.append(title);
    dot.addEventListener("click", () => {
      this.context.camera.from(new Vector3().setComponent(axis, sign));
      this.context.invalidate();
    });
    if (sign < 0) return { axis, sign, dot, line: null, name: null };
    const line = document.createElementNS(NS, "line");
    set(line, { x1: 0, y1: 0, "stroke-width": 2, "stroke-linecap": "round" });
    const name = document.createElementNS(NS, "text");
    name.textContent = "xyz"[axis];
    set(name, { "text-anchor": "middle", "font-size": 10, "font-weight": 650 });
    name.style.pointerEvents = "none";
    return { axis, sign, dot, line, name };
  }
}

function set(element: SVGElement, attributes: Record<string, string | number>): void {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
}
