import { beforeAll, expect, it } from "vitest";

import { Studio } from "../../../src/store/studio.ts";
import { PALETTES } from "../../../src/view/links/palette.ts";
import { drawItems } from "../../../src/view/planar/items.ts";
import type { ItemShown } from "../../../src/wire/messages.ts";
import { fixtures, snapshotOf } from "../../fixtures.ts";

/** A pen that writes down what it is asked to draw. */
class Pen {
  readonly done: [string, ...unknown[]][] = [];
  fillStyle = "";
  strokeStyle = "";
  private note =
    (name: string) =>
    (...values: unknown[]) =>
      void this.done.push([name, ...values]);
  save = this.note("save");
  restore = this.note("restore");
  beginPath = this.note("begin");
  closePath = this.note("close");
  moveTo = this.note("move");
  lineTo = this.note("line");
  arc = this.note("arc");
  stroke = (): void => void this.done.push(["stroke", this.strokeStyle]);
  fill = (): void => void this.done.push(["fill", this.fillStyle]);
  fillText = this.note("text");
  strokeText = this.note("halo");
  of = (name: string): unknown[][] => this.done.filter((one) => one[0] === name);
}

const packed = (numbers: number[], as: typeof Float32Array | typeof Uint32Array): string =>
  Buffer.from(new as(numbers).buffer).toString("base64");
/** The plane z = 0, 100 px per metre, origin at (50, 200) px. */
const FRAME = {
  plane: [1, 0, 0, 0, 1, 0, 0, 0, 1] as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ],
  scale: 100,
  origin: { x: 50, y: 200 },
};
let studio: Studio;
let count = 0;

function drawn(data: ItemShown["data"]): Pen {
  studio.programs.forget(1);
  studio.programs.shown({ program: 1, item: `item-${++count}`, data });
  const pen = new Pen();
  drawItems(pen as unknown as CanvasRenderingContext2D, studio, FRAME, PALETTES.light);
  return pen;
}

beforeAll(async () => {
  const given = await fixtures("four-bar");
  studio = new Studio({ kernels: given.kernels });
  studio.takeSnapshot(snapshotOf(given.models["four-bar"].data, { pose_changed: true }));
});

it("draws an arrow with its label at the tip", () => {
  const pen = drawn({
    kind: "arrow", start: [0, 0, 0], vector: [1, 0, 0], frame: "", color: "#ff0000", label: "up",
  }); // prettier-ignore
  expect(pen.of("move")[0]).toEqual(["move", 50, 200]);
  expect(pen.of("stroke")[0]).toEqual(["stroke", "#ff0000"]);
  expect(pen.of("text")[0]).toEqual(["text", "up", 160, 190]);
});

it("draws an arrow that points at the viewer as a dot", () => {
  const pen = drawn({
    kind: "arrow", start: [0, 0, 0], vector: [0, 0, 1], frame: "", color: "", label: "",
  }); // prettier-ignore
  expect(pen.of("arc")).toHaveLength(1);
  expect(pen.of("text")).toHaveLength(0);
});

it("draws points in their own colours", () => {
  const pen = drawn({
    kind: "points", places: packed([0, 0, 0, 1, 1, 0], Float32Array),
    colors: packed([1, 0, 0, 0, 0, 1], Float32Array), frame: "", color: "", size: 10,
  }); // prettier-ignore
  expect(pen.of("arc").map((one) => one.slice(1, 4))).toEqual([
    [50, 200, 5],
    [150, 100, 5],
  ]);
  expect(pen.of("fill").map((one) => one[1])).toEqual(["rgb(255 0 0)", "rgb(0 0 255)"]);
});

it("draws lines, surfaces and labels", () => {
  const line = drawn({
    kind: "line", places: packed([0, 0, 0, 0, 1, 0], Float32Array), frame: "", color: "", width: 0,
  }); // prettier-ignore
  expect(line.of("line")[0]).toEqual(["line", 50, 100]);
  const mesh = drawn({
    kind: "mesh", places: packed([0, 0, 0, 1, 0, 0, 0, 1, 0], Float32Array),
    triangles: packed([0, 1, 2], Uint32Array), frame: "", color: "", opacity: 0.5,
  }); // prettier-ignore
  expect(mesh.of("line").map((one) => one.slice(1))).toEqual([
    [150, 200],
    [50, 100],
  ]);
  const label = drawn({ kind: "label", text: "<b>", place: [0, 0, 0], frame: "", color: "" });
  expect(label.of("text")[0][1]).toBe("<b>");
});

it("moves items with their frame, and leaves out those of unknown frames", () => {
  const { model, poses } = studio;
  const site = model!.siteNames.length - 1;
  const place = { kind: "label", text: "here", place: [0, 0, 0], color: "" } as const;
  const pen = drawn({ ...place, place: [0, 0, 0], frame: model!.siteNames[site] });
  const [x, y] = [poses[7 * site + 4], poses[7 * site + 5]];
  const at = pen.of("text")[0] as [string, string, number, number];
  expect(at[2]).toBeCloseTo(50 + 100 * x + 10);
  expect(at[3]).toBeCloseTo(200 - 100 * y - 10);
  expect(drawn({ ...place, place: [0, 0, 0], frame: "nobody" }).done).toEqual([]);
});

it("draws traces", () => {
  const { siteNames } = studio.model!;
  const pen = drawn({
    kind: "trace", frame: siteNames[siteNames.length - 1], point: [0, 0, 0], color: "", length: 50,
  }); // prettier-ignore
  expect(pen.of("move")).toHaveLength(1);
});
