import { expect, it } from "vitest";
import { lastPass } from "../../../../src/ui/bottom/charts/run-series.ts";

const DEGREE = Math.PI / 180;
const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

it("charts the last whole turn of a crank by rising angle", () => {
  const values = range(30, 800, 5).map((degrees) => degrees * DEGREE);
  const { rows, at } = lastPass(values, "angle");
  expect(at.every((x, i) => !i || x > at[i - 1]!)).toBe(true);
  expect(at[0]).toBeGreaterThanOrEqual(0);
  expect(at.at(-1)! - at[0]!).toBeGreaterThan(350 * DEGREE);
  expect(at.at(-1)!).toBeLessThan(2 * Math.PI);
  rows.forEach((row, i) => expect(Math.cos(values[row]! - at[i]!)).toBeCloseTo(1, 9));
});

it("charts the last way of a sweep, and a first turn as far as it is", () => {
  const sweep = [...range(0, 1, 0.1), ...range(-0.9, 0, 0.1).map((x) => -x)];
  const back = lastPass(sweep, "length");
  expect(back.rows.every((row) => row >= 10)).toBe(true);
  expect(back.at[0]).toBeCloseTo(0, 9);
  const part = lastPass(
    range(90, 150, 5).map((x) => x * DEGREE),
    "angle",
  );
  expect(part.at[0]).toBeCloseTo(90 * DEGREE, 9);
  expect(part.at).toHaveLength(13);
  expect(lastPass([], "angle").rows).toEqual([]);
});
