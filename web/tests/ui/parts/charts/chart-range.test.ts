import { expect, it } from "vitest";
import { roomySpan, wideSpan } from "../../../../src/ui/parts/charts/chart-range.ts";

it.each([
  [90, 90 + 1e-10],
  [-1e6, -1e6],
  [0, 0],
  [5e-324, 5e-324],
  [1e-9, 1e-9 * (1 + 1e-12)],
])("of a level curve, %f to %f, can be counted out", (low, high) => {
  const [from, to] = roomySpan(low, high) as [number, number];
  const tick = (to - from) / 10;
  expect(from).toBeLessThanOrEqual(low);
  expect(to).toBeGreaterThanOrEqual(high);
  // a tick moves on from either end: else counting them never ends
  expect(from + tick / 10).toBeGreaterThan(from);
  expect(to - tick / 10).toBeLessThan(to);
});

it("keeps what varies as it is, with a margin where one is wanted", () => {
  expect(wideSpan(-2, 3)).toEqual([-2, 3]);
  expect(roomySpan(0, 10)).toEqual([-1, 11]);
  expect(wideSpan(1e-6, 2e-6)).toEqual([1e-6, 2e-6]);
  expect(wideSpan(null, null)).toEqual([null, null]);
});
