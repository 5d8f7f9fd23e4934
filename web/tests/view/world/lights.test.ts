import { Matrix4 } from "three";
import { expect, it } from "vitest";
import { shining } from "../../../src/view/world/lights.ts";
import type { LightData } from "../../../src/wire/messages.ts";

const sun: LightData = {
  name: "sun",
  type: "directional",
  node: "base",
  place: [1, 0, 0, 0, 0, 0, 0],
  direction: [1, 0, 0],
  color: "#ffd700",
  intensity: 0.5,
};
const turned = new Matrix4().makeRotationZ(Math.PI / 2).setPosition(1, 2, 3);

it("turns and moves a light with what carries it", () => {
  const { position, direction } = shining(sun, turned, null);
  expect(position).toEqual([1, 2, 3]);
  [0, 1, 0].forEach((x, i) => expect(direction[i]).toBeCloseTo(x));
});

it("takes the intensity of a running world, else that of the file", () => {
  expect(shining(sun, turned, null)).toMatchObject({ color: "#ffd700", intensity: 0.5 * Math.PI });
  expect(shining(sun, turned, 2).intensity).toBeCloseTo(2 * Math.PI);
  for (const off of [0, -1, NaN]) expect(shining(sun, turned, off).intensity).toBe(0);
});
