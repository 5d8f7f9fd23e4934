import { expect, it } from "vitest";
import { fromAngles, toAngles } from "../../../src/ui/joints/angles.ts";
import { homogeneous, singularValues } from "../../../src/ui/analysis/matrix.ts";

it("angles and quaternions are each other's inverse", () => {
  const angles = [0.3, -0.7, 2.1] as [number, number, number];
  toAngles(fromAngles(angles)).forEach((angle, i) => expect(angle).toBeCloseTo(angles[i]!, 12));
});

it("a quarter turn about z sends x to y", () => {
  const half = Math.SQRT1_2;
  const matrix = homogeneous([half, 0, 0, half, 1, 2, 3]);
  expect(matrix[0]!.map((x) => Math.round(x) + 0)).toEqual([0, -1, 0, 1]);
  expect(matrix[1]!.map((x) => Math.round(x) + 0)).toEqual([1, 0, 0, 2]);
  expect(matrix[3]).toEqual([0, 0, 0, 1]);
});

it("singular values are those of a known matrix", () => {
  // rows (3, 0) and (4, 5): squares of the values are 45 and 5
  const values = singularValues([3, 0, 4, 5], 2, 2);
  expect(values[0]).toBeCloseTo(Math.sqrt(45), 10);
  expect(values[1]).toBeCloseTo(Math.sqrt(5), 10);
});

it("a rank-one matrix has one singular value", () => {
  const values = singularValues([1, 2, 3, 2, 4, 6], 2, 3);
  expect(values[0]).toBeCloseTo(Math.sqrt(70), 10);
  expect(values[1]).toBeCloseTo(0, 6);
});
