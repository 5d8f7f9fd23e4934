import { describe, expect, it } from "vitest";
import type { ModelData } from "../../src/wire/messages.ts";
import { linkLengths } from "../../src/ui/stage/lengths.ts";
import { tableRows } from "../../src/ui/parameters/table/table.ts";
import { stickFigure } from "../../src/ui/analysis/sticks.ts";

const joint = (name: string, parent: number, child: number, is_cut = false) => ({
  name, type: "revolute", parent, child, is_cut, editable: true,
  variables: [{ name: "theta", quantity: "angle", motor: name === "A" }],
}); // prettier-ignore
const number = (owner: string, key: string, index: number, text: string, formula = true) => ({
  owner, key, index, text, formula, quantity: key.endsWith("d") ? "length" : "angle",
}); // prettier-ignore
const parameter = (name: string, formula = false) => ({ name, formula });
const data = {
  links: ["base", "A", "B", "D"],
  planar: true,
  joints: [
    joint("A", 0, 1),
    joint("B", 1, 2),
    joint("D", 0, 3),
    { ...joint("C", 2, 3, true), on: "B", onto: "D" },
  ],
  loops: [{ joint: 3 }],
  frames: [{ name: "tip", link: 2, on: "B", editable: true }],
  parameters: [parameter("crank"), parameter("twice", true)],
  numbers: [
    number("B", "d", 0, "crank"),
    number("B", "gamma", 1, "", false),
    number("C", "d", 2, "2*crank"),
    number("C", "closes.d", 3, "300 mm", false),
    number("tip", "d", 4, "crank"),
    number("D", "d", 5, "", false),
  ],
} as unknown as ModelData;
const reals = Float64Array.of(0.15, 0, 0.3, 0.3, 0.15, 0);

describe("lengths of a link", () => {
  it("are named after the parameter that gives them", () => {
    expect(linkLengths(data, reals, 1)).toEqual([
      { label: "crank", owner: null, key: "crank", value: 0.15, formula: null },
    ]);
  });

  it("show a formula, and each length once", () => {
    const found = linkLengths(data, reals, 2);
    expect(found.map((one) => [one.label, one.formula])).toEqual([
      ["d of C", "2*crank"],
      ["crank", null],
    ]);
  });

  it("include where a loop lands, and leave out what is nothing", () => {
    expect(linkLengths(data, reals, 3)).toMatchObject([
      { owner: "C", key: "closes.d", value: 0.3 },
    ]);
    expect(linkLengths(data, reals, 0)).toEqual([]);
  });
});

it("the table has joints, loop ends and frames", () => {
  const rows = tableRows(data);
  expect(rows.map((row) => `${row.kind} ${row.owner}`)).toEqual([
    "joint A", "joint B", "joint D", "joint C", "closes C", "frame tip",
  ]); // prettier-ignore
  const cut = rows[3]!;
  expect([cut.parent, cut.onto, rows[0]!.motor]).toEqual(["B", "D", true]);
  expect(rows[1]!.cells.map((cell) => cell?.key ?? null)).toEqual([
    "gamma",
    null,
    null,
    "d",
    null,
    null,
  ]);
});

it("a stick figure stays inside its field", () => {
  const poses = new Float64Array(7 * 5);
  const places = [[0, 0], [0, 0], [0, 0.15], [0.2, 0], [0.1, 0.3]]; // prettier-ignore
  places.forEach(([x, y], i) => poses.set([1, 0, 0, 0, x!, y!, 0], 7 * i));
  const loops = Float64Array.of(1, 0, 0, 0, 0.1, 0.3, 0, 1, 0, 0, 0, 0.1, 0.3, 0);
  const path = stickFigure(data, poses, loops, 68, 48);
  const numbers = path.match(/[\d.]+/g)!.map(Number);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(4);
  expect(Math.max(...numbers.filter((_, i) => i % 2 === 1))).toBeCloseTo(44, 1);
});
