// Short texts that stay at places of the world: plain HTML over the canvas.
import { type Camera, Vector3 } from "three";
import { type Point, toThree } from "./spaces.ts";

export type LabelKind = "name" | "note" | "alarm" | "choice" | "badge";

export interface Label {
  text: string;
  /** World place [m]. */
  at: Point;
  visible: boolean;
  remove(): void;
}

interface Entry extends Label {
  element: HTMLElement;
  shown: string;
  /** Where it is in the picture, and half its width [px]. */
  x: number;
  y: number;
  half: number;
}

const STYLE = `
.kg-labels { position: absolute; inset: 0; overflow: hidden; pointer-events: none;
  font: 500 12px/1.3 var(--font, system-ui, sans-serif); }
.kg-label { position: absolute; left: 0; top: 0; white-space: nowrap; will-change: transform;
  color: var(--text, #171b21); }
.kg-name { font-size: 11px; color: var(--text-soft, #565f6d);
  text-shadow: 0 0 3px var(--canvas, #fff), 0 0 3px var(--canvas, #fff), 0 0 2px var(--canvas, #fff); }
.kg-note, .kg-alarm, .kg-badge, .kg-choice { padding: 3px 8px; border-radius: 999px;
  background: var(--raised, #fff); border: 1px solid var(--line-strong, #cdd2da);
  box-shadow: var(--shadow-low, 0 1px 2px rgb(0 0 0 / 10%)); }
.kg-alarm { color: #fff; background: var(--danger-solid, #c9303a); border-color: transparent; }
.kg-badge { color: var(--warning, #8a5200); background: var(--warning-soft, #fff4e0);
  border-color: var(--warning-mark, #e08a00); }
.kg-choice { pointer-events: auto; cursor: pointer; color: var(--accent, #2a5bd7);
  border-color: var(--accent-line, #b9caf5); font: inherit; }
.kg-choice:hover, .kg-choice:focus-visible { background: var(--accent, #2a5bd7);
  color: var(--accent-text, #fff); outline: none; }
`;

let styled = false;
function addStyle(): void {
  if (styled) return;
  styled = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  document.adoptedStyleSheets.push(sheet);
}

export class Labels {
  readonly layer = document.createElement("div");
  private readonly entries = new Set<Entry>();
  private readonly point = new Vector3();

  constructor(canvas: HTMLCanvasElement) {
    addStyle();
    this.layer.className = "kg-labels";
    canvas.insertAdjacentElement("afterend", this.layer);
  }

  add(kind: LabelKind, text = "", at: Point = [0, 0, 0], onClick?: () => void): Label {
    const element = document.createElement(onClick ? "button" : "div");
    element.className = `kg-label kg-${kind}`;
    if (onClick) element.addEventListener("click", onClick);
    this.layer.append(element);
    const entry: Entry = {
      element,
      text,
      at,
      visible: true,
      shown: "",
      x: 0,
      y: 0,
      half: 0,
      remove: () => {
        element.remove();
        this.entries.delete(entry);
      },
    };
    this.entries.add(entry);
    return entry;
  }

  /** Puts all labels where they belong in a picture of a size [px]. */
  update(camera: Camera, width: number, height: number): void {
    for (const entry of this.entries) {
      const { element } = entry;
      toThree(entry.at, this.point).project(camera);
      const inside = this.point.z > -1 && this.point.z < 1;
      const display = entry.visible && inside && entry.text !== "" ? "" : "none";
      if (element.style.display !== display) element.style.display = display;
      if (display === "none") continue;
      if (entry.shown !== entry.text) {
        element.textContent = entry.shown = entry.text;
        entry.half = element.offsetWidth / 2;
      }
      entry.x = ((this.point.x + 1) / 2) * width;
      entry.y = ((1 - this.point.y) / 2) * height;
      const name = element.classList.contains("kg-name");
      if (!name) {
        // What is to be read stays inside the picture.
        const edge = entry.half + 8;
        entry.x = Math.min(Math.max(entry.x, edge), Math.max(edge, width - edge));
        entry.y = Math.min(Math.max(entry.y, 44), Math.max(44, height - 4));
      }
      const shift = name ? "translate(8px, -50%)" : "translate(-50%, -150%)";
      element.style.transform = `translate(${entry.x.toFixed(1)}px, ${entry.y.toFixed(1)}px) ${shift}`;
    }
  }

  /** What is to be read now, and where [px]: for pictures. */
  visible(): { text: string; x: number; y: number; kind: string }[] {
    return [...this.entries]
      .filter((one) => one.element.style.display !== "none" && one.text)
      .map((one) => ({ text: one.text, x: one.x, y: one.y, kind: one.element.className }));
  }

  dispose(): void {
    this.layer.remove();
    this.entries.clear();
  }
}
