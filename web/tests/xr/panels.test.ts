import { Matrix4, Ray, Vector3 } from "three";
import { describe, expect, it, vi } from "vitest";

import {
  boxAt,
  layOut,
  type Row,
  ROWS,
  type Sheet,
  type SliderRow,
  trackOf,
  valueAt,
  WIDTH,
  wrapped,
} from "../../src/xr/panels/rows.ts";

const slider = (label: string): SliderRow => ({
  ...{ kind: "slider", label, value: 0.2, min: -1, max: 3, text: "0.2 m" },
  ...{ set: () => undefined, commit: () => undefined },
});
const sheet = (rows: Row[]): Sheet => ({ title: "Test", rows });

describe("rows of a panel", () => {
  it("lie below each other without touching, inside the panel", () => {
    const press = vi.fn();
    const items = [1, 2, 3].map((i) => ({ label: `b${i}`, run: press }));
    const layout = layOut(sheet([{ kind: "buttons", items }, slider("a"), slider("b")]));
    const bodies = layout.boxes.filter(({ row }) => row >= 0);
    expect(bodies.map(({ kind }) => kind)).toEqual(["button", "button", "button", "slider", "slider"]); // prettier-ignore
    for (const [i, a] of bodies.entries()) {
      expect(a.x).toBeGreaterThanOrEqual(0);
      expect(a.x + a.width).toBeLessThanOrEqual(WIDTH);
      expect(a.y + a.height).toBeLessThan(layout.height);
      for (const b of bodies.slice(i + 1))
        expect(a.x + a.width <= b.x || a.y + a.height <= b.y).toBe(true);
    }
  });

  it("are found at their own places", () => {
    const layout = layOut(sheet([slider("a"), slider("b")]));
    for (const box of layout.boxes)
      expect(boxAt(layout, box.x + box.width / 2, box.y + box.height / 2)).toBe(box);
    expect(boxAt(layout, WIDTH / 2, layout.height - 2)).toBeNull();
  });

  it("come in pages where there are many; a page beyond the last is the last", () => {
    const rows = Array.from({ length: ROWS + 2 }, (_, i) => slider(`s${i}`));
    const first = layOut(sheet(rows));
    expect([first.page, first.pages, first.tops.size]).toEqual([0, 2, ROWS]);
    const last = layOut(sheet(rows), 9);
    expect([last.page, last.tops.size]).toEqual([1, 2]);
    expect(last.boxes.filter(({ kind }) => kind === "page")).toHaveLength(2);
    // what is at a wrist has no head to press
    expect(layOut(sheet(rows), 0, false).boxes.some(({ kind }) => kind === "close")).toBe(false);
  });

  it("of words are as high as their lines", () => {
    const long = "word ".repeat(40);
    expect(wrapped(long).every((line) => line.length <= 54)).toBe(true);
    expect(wrapped(long).join(" ").split(" ")).toHaveLength(40);
    const height = (text: string) => layOut(sheet([{ kind: "words", text }])).height;
    expect(height(long)).toBeGreaterThan(height("one"));
  });

  it("give a slider its ends and no more", () => {
    const row = slider("a");
    const box = layOut(sheet([row])).boxes.find(({ kind }) => kind === "slider")!;
    const [from, to] = trackOf(box);
    expect(valueAt(row, box, from)).toBe(-1);
    expect(valueAt(row, box, (from + to) / 2)).toBeCloseTo(1, 9);
    expect(valueAt(row, box, to + 500)).toBe(3);
  });
});

describe("a panel in space", () => {
  it("is met by rays from its front alone, where they point", async () => {
    vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });
    const { Panel, WIDE } = await import("../../src/xr/panels/panel.ts");
    const set = vi.fn();
    const panel = new Panel("p", () => sheet([{ ...slider("a"), set }]));
    const { PALETTES } = await import("../../src/view/links/palette.ts");
    panel.X_RP.makeRotationY(0.3).setPosition(0.2, 1, 0.5);
    panel.update(PALETTES.light, new Matrix4());
    const middle = panel.placeOf("a")!;
    const from = new Vector3(0, 0, 1).transformDirection(panel.X_RP).add(middle);
    const towards = (a: Vector3, b: Vector3) => new Ray(a, b.clone().sub(a).normalize());
    const hit = panel.meet(towards(from, middle))!;
    expect(hit.distance).toBeCloseTo(1, 9);
    const box = panel.boxAt(hit.x, hit.y)!;
    expect(box.kind).toBe("slider");
    panel.press(box, box.x + 10_000);
    expect(set).toHaveBeenCalledWith(3);
    const behind = middle.clone().multiplyScalar(2).sub(from);
    expect(panel.meet(towards(behind, middle))).toBeNull();
    const side = new Vector3(WIDE, 0, 0).applyMatrix4(panel.X_RP);
    expect(panel.meet(towards(from, side))).toBeNull();
    vi.unstubAllGlobals();
  });
});
