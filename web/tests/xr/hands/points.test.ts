import { Matrix4, Vector3 } from "three";
import { expect, it } from "vitest";

import { type Aim, isBefore } from "../../../src/xr/hands/aims.ts";
import { pointAlong, pointNear } from "../../../src/xr/hands/points.ts";

const points = [{ at: [0, 2, 0] }, { at: [0.04, 2, 0] }, { at: [1, 1, 1] }] as const;
/** A hand at the origin that points along +y. */
const hand = new Matrix4().makeRotationX(Math.PI / 2);

it("takes the point beside the hand that is nearest", () => {
  expect(pointNear(points, new Vector3(0.03, 2, 0), 0.05)?.one).toBe(points[1]);
  expect(pointNear(points, new Vector3(0, 1.9, 0), 0.05)).toBeNull();
});

it("takes the point that the ray passes nearest, by angle, and none behind", () => {
  expect(pointAlong(points, hand)).toEqual({ one: points[0], distance: 2 });
  const aside = new Matrix4().makeRotationZ(-0.018).multiply(hand);
  expect(pointAlong(points, aside)?.one).toBe(points[1]);
  expect(pointAlong(points, new Matrix4().makeRotationX(-Math.PI / 2))).toBeNull();
  // at whatever scale the room is
  const small = new Matrix4().makeScale(20, 20, 20).multiply(hand);
  expect(pointAlong(points, small)?.one).toBe(points[0]);
});

it("prefers what a hand touches to a panel, else the nearer of both", () => {
  const aim = (by: Aim["by"], distance: number) => ({ by, distance }) as Aim;
  expect(isBefore(aim("hand", 0.04), 0.01)).toBe(true);
  expect(isBefore(aim("ray", 0.5), 0.6)).toBe(true);
  expect(isBefore(aim("ray", 0.7), 0.6)).toBe(false);
  expect(isBefore(null, 0.6)).toBe(false);
  expect(isBefore(null, null)).toBe(true);
});
