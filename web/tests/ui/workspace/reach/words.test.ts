import { expect, it } from "vitest";

import type { CloudPlanResult, JointData } from "../../../../src/wire/messages.ts";
import { amounts, bodyWords, cloudWords, degrees, factorOf, hasSize, layerChoices, layerValue, measureWords, planWords, stillWords, tookWords } from "../../../../src/ui/workspace/reach/words.ts"; // prettier-ignore

const range = (name: string, count: number) => ({
  name, count, quantity: "angle" as const, lower: 0, upper: 1,
}); // prettier-ignore
const plan: CloudPlanResult = {
  frames: ["tool"], ranges: [range("waist", 12), range("elbow", 6)], held: [], following: [], poses: 72,
  points: 72, factor: 15, layer: "link", palettes: { safe: [], paper: [] },
}; // prettier-ignore

it("says what a run would try", () => {
  expect(planWords(plan)).toBe("12 · 6 = 72 poses");
  expect(planWords({ ...plan, factor: null, poses: 50_000 })).toBe("50,000 poses, spread evenly");
  expect(planWords({ ...plan, ranges: [range("waist", 12)], poses: 12 })).toBe("12 poses");
  expect(cloudWords({ ...plan, poses: 5184, points: 25_920, seconds: 0.0213 })).toBe(
    "5,184 poses · 25,920 points · 0.02 s",
  );
  expect(cloudWords({ ...plan, poses: 1, points: 1 })).toBe("1 pose · 1 point");
});

it("says how much of a run is there", () => {
  const large = { ...plan, frames: ["elbow", "tool"], poses: 10_000_000, points: 20_000_000 };
  expect(cloudWords({ ...large, seconds: 1.2 }, 0.05)).toBe(
    "500,000 of 10,000,000 poses · 1,000,000 points · 1.2 s",
  );
});

it("takes a Factor without dust, or says what is allowed", () => {
  const DEGREE = Math.PI / 180;
  expect(factorOf((15 * DEGREE) / DEGREE)).toBe(15);
  expect(degrees((15 * DEGREE) / DEGREE)).toBe("15°");
  expect(factorOf(0.1)).toBe(0.1);
  expect(factorOf(0)).toBe("0° is out of range: use 0.1° to 360°");
  expect(factorOf(-3)).toBe("−3° is out of range: use 0.1° to 360°");
});

it("names what holds still", () => {
  const joints = [
    { name: "root", type: "free" }, { name: "waist", type: "revolute" },
    { name: "neck", type: "spherical" },
  ] as JointData[]; // prettier-ignore
  expect(stillWords(plan, joints)).toBe("");
  const end = ": a joint that turns in space has no range";
  expect(stillWords({ ...plan, held: ["neck"] }, joints)).toBe(
    `ball joint 'neck' keeps its value${end}`,
  );
  expect(stillWords({ ...plan, held: ["root"] }, joints)).toBe(
    `free base 'root' keeps its value${end}`,
  );
  expect(stillWords(null, joints)).toBe(
    `free base 'root' and ball joint 'neck' keep their values${end}`,
  );
});

it("gives times and sizes the digits that mean something", () => {
  expect([0.0016, 0.0994, 0.21, 7.51, 12.4].map(tookWords)).toEqual([
    "0.002 s", "0.1 s", "0.2 s", "7.5 s", "12 s",
  ]); // prettier-ignore
  expect(amounts(83.33, 9.5)).toBe("83.3 ± 9.5");
  expect(amounts(4329.9, 362.8)).toBe("4330 ± 363");
  expect(amounts(2, 0)).toBe("2.000");
  const size = (value: number, error: number, dimension: number) =>
    measureWords({ value, error, dimension, unit: "m", cell: 1 });
  expect(size(0.0833, 0.0095, 3)).toBe("83.3 ± 9.5 dm³");
  expect(size(6.98, 0.9, 3)).toBe("6.98 ± 0.90 m³");
  expect(size(0.29, 0.028, 2)).toBe("2900 ± 280 cm²");
  expect(size(0.1, 0.0005, 1)).toBe("100.00 ± 0.50 mm");
  expect(measureWords({ value: 5.63, error: 1, dimension: 3, unit: "rad^3", cell: 1 })).toBe(
    "5.63 rad³",
  );
  expect(hasSize({ value: 1, error: 1, dimension: 2, unit: "m²", cell: 1 })).toBe(false);
});

it("says what a body is like", () => {
  const grid = { first: [0, 0, 0], shape: [1, 1, 1], cell: 1, outside: 0.5, origin: [0, 0, 0] };
  const body = { pieces: 1, voids: 0, tunnels: 0, grid };
  expect(bodyWords(body)).toBe("in one piece, no voids inside");
  expect(bodyWords({ ...body, tunnels: 1, voids: 2 })).toBe(
    "in one piece, 1 hole through it, 2 voids inside",
  );
  expect(bodyWords({ ...body, grid: { ...grid, shape: [1, 1] }, pieces: 2, voids: 2 })).toBe(
    "in 2 pieces, with 2 holes",
  );
});

it("names layers and their values", () => {
  const choices = layerChoices(plan);
  expect(choices.map((one) => one.value)).toContain("joint:elbow");
  expect(layerChoices(null)[0].value).toBe("link");
  expect(layerValue("joint:elbow", Math.PI / 2, plan, "mm")).toBe("90°");
  expect(layerValue("dexterity", 0.17, plan, "mm")).toBe("17 %");
  expect(layerValue("density", 5184, plan, "mm")).toBe("5,184");
  expect(layerValue("manipulability", 0.01146, plan, "mm")).toBe("0.011");
});
