import { beforeAll, expect, it } from "vitest";

import { PageModel } from "../../../../src/kernel/page-model.ts";
import { type JointMapFound, statesOf } from "../../../../src/store/workspace/joint-maps.ts";
import {
  curveOf,
  lampCounts,
  lengthTest,
  mapTable,
  mapVariables,
  varies,
} from "../../../../src/ui/workspace/maps/map-series.ts";
import { type Fixtures, fixtures } from "../../../fixtures.ts";

let given: Fixtures;
beforeAll(async () => {
  given = await fixtures("lynx6", "five-bar-spatial");
});

/** Two places, the second out of the second joint's range. */
function made(): { result: JointMapFound; model: PageModel } {
  const model = new PageModel(given.kernels, given.models.lynx6.data);
  const qs = new Float64Array(2 * model.nq);
  qs.set([0.1, 0.1, 0.2, 3]);
  const lamps = new Uint8Array(2 * model.nq);
  lamps[3] = 1;
  const branch = {
    name: "front",
    reached: 2,
    within: 1,
    qs,
    lamps,
    states: statesOf(qs, lamps, 2),
  };
  const result: JointMapFound = {
    frame: "tool",
    joints: [],
    present: 0,
    shape: [2, 1, 1],
    axes: [[0.1, 0.2], [0], [0.05]],
    count: 2,
    branches: [branch],
    beyond: Float32Array.of(-0.1, 0.02),
    seconds: 0,
  };
  return { result, model };
}

it("charts every variable but those of balls", () => {
  const { model } = made();
  const variables = mapVariables(model.data, model.lower, model.upper);
  expect(variables.map((one) => one.label).slice(0, 3)).toEqual(["waist", "shoulder", "elbow"]);
  expect(variables[1].high).toBeCloseTo(Math.PI / 2);
  const other = new PageModel(given.kernels, given.models["five-bar-spatial"].data);
  const rows = mapVariables(other.data, other.lower, other.upper);
  expect(rows.length).toBeLessThan(other.data.joints.length);
});

it("curves are in degrees and millimetres, and know whether anything changes", () => {
  const { model, result } = made();
  const [waist, shoulder] = mapVariables(model.data, model.lower, model.upper);
  const [branch] = result.branches;
  const values = curveOf(branch, shoulder, [0, 1], 2, "mm");
  expect(values[1]).toBeCloseTo((3 * 180) / Math.PI);
  expect(varies(branch, shoulder, 2)).toBe(true);
  expect(varies(branch, waist, 2)).toBe(false);
});

it("counts lamps and lengths", () => {
  const { result } = made();
  expect(lampCounts(result.branches[0], 2)).toEqual([0, 1, 0, 0, 0, 0]);
  const found = lengthTest(result.beyond!);
  expect(found.places).toBe(1);
  expect(found.most).toBeCloseTo(0.02);
});

it("a table has a heading with units and a row per place", () => {
  const { model, result } = made();
  const variables = mapVariables(model.data, model.lower, model.upper);
  const rows = mapTable(result, result.branches[0], variables, "mm").trim().split("\n");
  expect(rows).toHaveLength(3);
  expect(rows[0]).toContain("x [mm],y [mm],z [mm],waist [deg]");
  expect(rows[1]).toMatch(/^100,0,50,5\.7/);
  expect(rows[2]).toContain("out of limits,20");
});
