import { expect, it } from "vitest";

import { forcedStarts, rayColor } from "../../../src/view/world/sensor-rays.ts";

it("colours rays by distance, and those that are overridden by that", () => {
  expect(rayColor(0, false).r).toBeGreaterThan(rayColor(1, false).r);
  expect(rayColor(1, false).g).toBeGreaterThan(rayColor(0, false).g);
  expect(rayColor(0.2, true).getHex()).toBe(rayColor(0.9, true).getHex());
  expect(rayColor(0.2, true).getHex()).not.toBe(rayColor(0.2, false).getHex());
});

it("finds where the rays of overridden sensors begin", () => {
  const ray = (x: number, forced: number, sensor: number) => [
    ...[x, 0, 0, x + 1, 0, 0, 0.5, forced, sensor],
  ];
  const rays = [ray(1, 0, 0), ray(2, 1, 1), ray(2, 1, 1), ray(3, 1, 3)].flat();
  const sensors = ["eye.distance", "scan.distances", "imu.rate", "nose.distance"].map((name) => ({
    signals: [name],
  }));
  expect([...forcedStarts(sensors, rays)]).toEqual([
    ["scan.distances", [2, 0, 0]],
    ["nose.distance", [3, 0, 0]],
  ]);
});
