// Short texts that stay at places of the world: plain HTML over the canvas.
import { type Camera, Vector3 } from "three";
import { type Box, placeLabels, type Spot } from "./label-places.ts";
import { type Point, toThree } from "../spaces.ts";
import type { Cell } from "../stereo/layout.ts";

export type LabelKind = "name" | "note" | "alarm" | "choice" | "badge";

export interface Label {
  readonly kind: LabelKind;
  text: string;
  /** World place [m]. */
  at: Point;
  visible: boolean;
  /** Of a choice: as what it stands for; null for the usual. */
  color: string | null;
  remove(): void;
}

interface Entry extends Label {
  element: HTMLElement;
  shown: string;
  /** Where its place is in the picture [px]. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** Its middle, seen from its place; null while it is hidden. */
  spot: Spot;
}

/** Who gets the best place: what is wrong first, names last. */
const RANKS: Record<LabelKind, number> = { alarm: 0, choice: 1, note: 2, badge: 3, name: 4 };
/** Time for which the places of the tools over the picture are taken to be the same [ms]. */
const TOOLS = 120;

const STYLE = `
.kg-labels { position: absolute; inset: 0; overflow: hidden; pointer-events: none;
  font: 500 12px/1.3 var(--font, system-ui, sans-serif); }
.kg-label { position: absolute; left: 0; top: 0; white-space: nowrap; will-change: transform;
  color: var(--text, #171b21); }
.kg-name { padding: 0 4px; border-radius: 4px; font-size: 11px; color: var(--text, #171b21);
  background: color-mix(in srgb, var(--canvas, #fff) 76%, transparent); }
.kg-note, .kg-alarm, .kg-badge, .kg-choice { padding: 3px 8px; border-radius: 999px;
  background: var(--raised, #fff); border: 1px solid var(--line-strong, #cdd2da);
  box-shadow: var(--shadow-low, 0 1px 2px rgb(0 0 0 / 10%)); }
.kg-alarm { color: #fff; background: var(--danger-solid, #c9303a); border-color: transparent; }
.kg-badge { color: var(--warning, #8a5200); background: var(--warning-soft, #fff4e0);
  border-color: var(--warning-mark, #e08a00); }
.kg-choice { --choice: var(--accent, #2a5bd7); pointer-events: auto; cursor: pointer;
  color: var(--choice); border-color: var(--choice); font: inherit; font-weight: 600; }
.kg-choice:hover, .kg-choice:focus-visible { background: var(--choice);
  color: var(--raised, #fff); outline: none; }
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
  private copy: HTMLElement | null = null;
  private tools: Box[] = [];
  private looked = -Infinity;

  constructor(private readonly canvas: HTMLCanvasElement) {
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
      kind,
      text,
      at,
      visible: true,
      get color() {
        return element.style.getPropertyValue("--choice") || null;
      },
      set color(color) {
        if (color === null) element.style.removeProperty("--choice");
        else element.style.setProperty("--choice", color);
      },
      shown: "",
      x: 0,
      y: 0,
      width: 0,
      height: 0,
      spot: null,
      remove: () => {
        element.remove();
        this.entries.delete(entry);
      },
    };
    this.entries.add(entry);
    return entry;
  }

  /** Puts all labels where they belong in a picture of a size [px], apart from each other. */
  update(camera: Camera, width: number, height: number): void {
    this.settle(camera, width, height);
    this.repeat();
  }

  private settle(camera: Camera, width: number, height: number): void {
    const seen: Entry[] = [];
    for (const entry of this.entries) {
      const { element } = entry;
      toThree(entry.at, this.point).project(camera);
      const inside = this.point.z > -1 && this.point.z < 1;
      if (!entry.visible || !inside || entry.text === "") {
        hide(entry);
        continue;
      }
      if (entry.shown !== entry.text) {
        element.style.display = "";
        element.textContent = entry.shown = entry.text;
        [entry.width, entry.height] = [element.offsetWidth, element.offsetHeight];
      }
      entry.x = ((this.point.x + 1) / 2) * width;
      entry.y = ((1 - this.point.y) / 2) * height;
      seen.push(entry);
    }
    if (seen.length === 0) return;
    seen.sort((a, b) => RANKS[a.kind] - RANKS[b.kind]);
    const bounds = { left: 0, top: 0, right: width, bottom: height };
    const requests = seen.map((entry) => ({
      ...entry,
      isName: entry.kind === "name",
      last: entry.spot,
    }));
    placeLabels(requests, bounds, this.obstacles()).forEach((spot, i) => {
      const entry = seen[i];
      entry.spot = spot;
      if (!spot) {
        hide(entry);
        return;
      }
      const { element } = entry;
      if (element.style.display !== "") element.style.display = "";
      const [x, y] = [entry.x + spot[0], entry.y + spot[1]];
      element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
    });
  }

  set hidden(on: boolean) {
    this.layer.hidden = on;
    if (this.copy) this.copy.hidden = on;
  }

  /** Shows the labels in each of some pictures of the canvas, or in the whole canvas. */
  spread(cells: readonly Cell[] | null, width: number, height: number): void {
    this.copy?.remove();
    this.copy = null;
    const [first, second] = cells ?? [];
    this.layer.removeAttribute("style");
    if (!first || !second) return;
    this.copy = document.createElement("div");
    this.copy.className = "kg-labels";
    this.copy.ariaHidden = "true";
    this.layer.insertAdjacentElement("afterend", this.copy);
    for (const [layer, cell] of [
      [this.layer, first],
      [this.copy, second],
    ] as const) {
      const scale = `scale(${cell.width / width}, ${cell.height / height})`;
      layer.style.inset = "0 auto auto 0";
      [layer.style.width, layer.style.height] = [`${width}px`, `${height}px`];
      layer.style.transformOrigin = "0 0";
      layer.style.transform = `translate(${cell.x}px, ${cell.y}px) ${scale}`;
    }
  }

  /** The other eye sees the same labels, at the depth of the screen. */
  private repeat(): void {
    if (!this.copy) return;
    const shown = [...this.layer.children] as HTMLElement[];
    const copies = shown.map((one) => one.cloneNode(true) as HTMLElement);
    copies.forEach((one, i) => {
      if (one.tagName === "BUTTON") one.addEventListener("click", () => shown[i].click());
    });
    this.copy.replaceChildren(...copies);
  }

  /** Tools that float over the picture: elements that say `data-over`. */
  private obstacles(): Box[] {
    const now = performance.now();
    if (now - this.looked < TOOLS) return this.tools;
    this.looked = now;
    const { left, top } = this.canvas.getBoundingClientRect();
    const tools = this.canvas.parentElement?.querySelectorAll("[data-over]") ?? [];
    this.tools = Array.from(tools, (tool) => {
      const box = tool.getBoundingClientRect();
      return {
        left: box.left - left,
        right: box.right - left,
        top: box.top - top,
        bottom: box.bottom - top,
      };
    });
    return this.tools;
  }

  /** What is to be read now, and where its middle is [px]: for pictures. */
  visible(): { text: string; x: number; y: number; kind: LabelKind }[] {
    return [...this.entries]
      .filter((one) => one.spot !== null && one.text)
      .map(({ text, x, y, kind, spot }) => ({ text, x: x + spot![0], y: y + spot![1], kind }));
  }

  /** What there is to read in the world, wherever the window shows it. */
  readable(): Label[] {
    return [...this.entries].filter(({ visible, text }) => visible && text !== "");
  }

  dispose(): void {
    this.layer.remove();
    this.copy?.remove();
    this.entries.clear();
  }
}

function hide(entry: Entry): void {
  entry.spot = null;
  if (entry.element.style.display !== "none") entry.element.style.display = "none";
}
