// Even steps make no more poses than there were.
import { expect, it } from "vitest";
import { evenCount, evenStep } from "../../../../src/ui/bottom/motions/even-steps.ts";

it.each([
  [80, 84.76],
  [600, 10],
  [2, 3],
  [3, 1e-3],
  [101, 100],
])("%i poses in %f s stay as many, or become fewer", (count, duration) => {
  const times = Array.from({ length: count }, (_, i) => 5 + (duration * i) / (count - 1));
  const step = evenStep(times);
  const after = evenCount(times, step);
  expect(after).toBeLessThanOrEqual(count);
  expect(after).toBeGreaterThan(count / 2);
});

it("counts what a chosen step makes", () => {
  expect(evenCount([0, 84.76], 0.02)).toBe(4239);
  expect(evenCount([0, 1], 0.25)).toBe(5);
  expect(evenCount([0, 1], 0.3)).toBe(5);
  expect(evenCount([0, 1], 7)).toBe(2);
});
