import { expect, it } from "vitest";
import { frustum } from "../../../src/view/world/sensor-marks.ts";

it("draws what a camera sees as wide as its picture", () => {
  const camera = { width: 320, height: 240, opening: Math.PI / 2, near: 0.01, far: 5 };
  const lines = frustum({ ...camera, images: ["color"], is_drawn: true }, 2);
  const corners = lines.slice(3, 6);
  expect(corners[0]).toBe(2);
  expect(Math.abs(corners[1])).toBeCloseTo((2 * 320) / 240);
  expect(Math.abs(corners[2])).toBeCloseTo(2);
});
