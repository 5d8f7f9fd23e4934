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
} from "../../../src/xr/panels/rows.ts";

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
    const headless = layOut({ title: "", rows });
    expect(headless.boxes.some(({ kind }) => kind === "close")).toBe(false);
    expect(headless.height).toBeLessThan(first.height);
  });

  it("begin another page where the sheet says so", () => {
    const rows = Array.from({ length: ROWS + 3 }, (_, i) => slider(`s${i}`));
    const broken = { ...sheet(rows), breaks: [2] };
    expect([0, 1, 2].map((page) => [...layOut(broken, page).tops.keys()].at(0))).toEqual([
      0,
      2,
      ROWS + 2,
    ]);
  });

  it("are higher where they are large", () => {
    const items = [{ label: "Stop", run: () => undefined }];
    const high = (isLarge: boolean) =>
      layOut(sheet([{ kind: "buttons", items, isLarge }])).boxes.at(-1)!.height;
    expect(high(true)).toBeGreaterThan(1.8 * high(false));
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
    const { Panel, WIDE } = await import("../../../src/xr/panels/panel.ts");
    const set = vi.fn();
    const panel = new Panel("p", () => sheet([{ ...slider("a"), set }]));
    const { PALETTES } = await import("../../../src/view/links/palette.ts");
    panel.X_RP.makeRotationY(0.3).setPosition(0.2, 1, 0.5);
    panel.update(PALETTES.light, new Matrix4(), 0);
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

  it("is painted only when what it shows has changed, at most four times a second", async () => {
    vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });
    const { Panel } = await import("../../../src/xr/panels/panel.ts");
    const { PALETTES } = await import("../../../src/view/links/palette.ts");
    let text = "0";
    const panel = new Panel("p", () => sheet([{ kind: "words", text }]));
    const show = (now: number, mayPaint = true) =>
      panel.update(PALETTES.light, new Matrix4(), now, mayPaint);
    expect(show(0)).toBe(true);
    for (let now = 10; now < 2000; now += 10) expect(show(now)).toBe(false);
    for (let now = 2000; now < 3000; now += 10) {
      text = `${now}`;
      show(now);
    }
    expect(panel.paints).toBe(5);
    // one that may not be painted now is painted later
    text = "later";
    expect(show(3300, false)).toBe(false);
    expect(show(3310)).toBe(true);
    vi.unstubAllGlobals();
  });

  it("keeps its top edge when rows come, and its bottom edge above the eyes", async () => {
    vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });
    const { Panel } = await import("../../../src/xr/panels/panel.ts");
    const { PALETTES } = await import("../../../src/view/links/palette.ts");
    for (const edge of [1, -1]) {
      const rows = [slider("a")];
      const panel = new Panel("p", () => sheet(rows));
      panel.stand(new Matrix4().makeRotationX(0.3).setPosition(0, 1, 0), 0.4, edge);
      const kept = () => new Vector3(0, (edge * panel.height) / 2, 0).applyMatrix4(panel.X_RP);
      const wanted = new Vector3(0, edge * 0.2, 0).applyMatrix4(panel.X_RP);
      panel.update(PALETTES.light, new Matrix4(), 0);
      expect(kept().distanceTo(wanted)).toBeLessThan(1e-12);
      const before = panel.height;
      rows.push(slider("b"), slider("c"));
      panel.update(PALETTES.light, new Matrix4(), 1000);
      expect(panel.height).toBeGreaterThan(before);
      expect(kept().distanceTo(wanted)).toBeLessThan(1e-12);
    }
    vi.unstubAllGlobals();
  });

  it("keeps its size in the room when the world that it is pinned to is scaled", async () => {
    vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });
    const { Panel } = await import("../../../src/xr/panels/panel.ts");
    const { PALETTES } = await import("../../../src/view/links/palette.ts");
    const panel = new Panel("p", () => sheet([slider("a")]));
    panel.X_RP.makeRotationZ(0.4).setPosition(1, 2, 0.5);
    panel.X_WP = panel.X_RP.clone();
    const X_RW = new Matrix4().makeScale(0.1, 0.1, 0.1);
    panel.update(PALETTES.light, X_RW, 0);
    expect(panel.X_RP.getMaxScaleOnAxis()).toBeCloseTo(1, 12);
    expect(
      new Vector3().setFromMatrixPosition(panel.X_RP).distanceTo(new Vector3(0.1, 0.2, 0.05)),
    ).toBeLessThan(1e-12);
    // a ray from one metre before it meets it after one metre
    const from = new Vector3(0, 0, 1).applyMatrix4(panel.X_RP);
    const along = new Vector3(0, 0, -1).transformDirection(panel.X_RP);
    expect(panel.meet(new Ray(from, along))?.distance).toBeCloseTo(1, 9);
    vi.unstubAllGlobals();
  });
});
