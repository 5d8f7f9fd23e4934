import { expect, it } from "vitest";

import { forcedStarts, rayColor } from "../../../src/view/world/sensor-rays.ts";

it("colours rays by distance, and those that are overridden by that", () => {
  expect(rayColor(0, false).r).toBeGreaterThan(rayColor(1, false).r);
  expect(rayColor(1, false).g).toBeGreaterThan(rayColor(0, false).g);
  expect(rayColor(0.2, true).getHex()).toBe(rayColor(0.9, true).getHex());
  expect(rayColor(0.2, true).getHex()).not.toBe(rayColor(0.2, false).getHex());
});

it("finds where the rays of overridden sensors begin", () => {
  const signal = (name: string, size: number, override: string) => ({
    ...{ name, size, override, unit: "m", writer: name.split(".")[0] },
  });
  const ray = (x: number, forced: number) => [x, 0, 0, x + 1, 0, 0, 0.5, forced];
  const rays = [ray(1, 0), ray(2, 1), ray(2, 1), ray(3, 1)].flat();
  const overridden = [
    signal("gone.distance", 1, "cut"),
    signal("wheel.target", 1, "frozen"),
    signal("scan.distances", 2, "frozen"),
    signal("nose.distance", 1, "forced to 0.05"),
  ];
  expect([...forcedStarts(overridden, rays)]).toEqual([
    ["scan.distances", [2, 0, 0]],
    ["nose.distance", [3, 0, 0]],
  ]);
});
