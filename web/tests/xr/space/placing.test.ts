import { Matrix4, Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";

import { footOf, isLevel, ringAt, standAt, surfaceOf } from "../../../src/xr/space/placing.ts";
import { toRoom } from "../../../src/xr/space/rig.ts";
import { X_RS } from "../../../src/xr/hands/inputs.ts";

const v = (x: number, y: number, z: number): Vector3 => new Vector3(x, y, z);
const near = (a: Vector3, b: Vector3): void => expect(a.distanceTo(b)).toBeLessThan(1e-9);
const Z = v(0, 0, 1);

/** The pose of a hit as sessions give it: y up, y of the pose out of the surface. */
function hit(at: Vector3, out: Vector3): Matrix4 {
  const turn = new Quaternion().setFromUnitVectors(v(0, 1, 0), out);
  return new Matrix4().compose(at, turn, v(1, 1, 1)).premultiply(X_RS);
}

describe("a surface of the real room", () => {
  it("comes from the pose of a hit test", () => {
    const table = surfaceOf(hit(v(0.2, 0.74, -1), v(0, 1, 0)));
    near(table.at, v(0.2, 1, 0.74));
    near(table.normal, Z);
  });

  it("carries something if it is level", () => {
    const slope = (angle: number) => ({
      at: v(0, 0, 0),
      normal: v(0, Math.sin(angle), Math.cos(angle)),
    });
    expect([0, 0.2, 0.4, Math.PI / 2, Math.PI].map((angle) => isLevel(slope(angle)))).toEqual([
      true, true, false, false, false,
    ]); // prettier-ignore
  });

  it("has a ring that lies on it", () => {
    const wall = surfaceOf(hit(v(0, 1, -2), v(0, 0, 1)));
    const ring = ringAt(wall, 0.3);
    near(v(0, 0, 1).transformDirection(ring), wall.normal);
    expect(v(1, 0, 0).applyMatrix4(ring).distanceTo(wall.at)).toBeCloseTo(Math.hypot(0.3, 0.004));
  });
});

describe("a mechanism on a table", () => {
  const thing = { centre: v(2, 1, 0.4), radius: 0.3, floor: 0.2, up: Z, ahead: v(0, 1, 0) };
  const head = { place: v(0.5, 0.1, 1.6), ahead: v(0, 1, 0) };

  it("stands where one points, upright, at the same scale, its front to the user", () => {
    const place = v(1.5, 0.1, 0.74);
    const rig = standAt(thing, place, head, 4);
    near(footOf(thing, rig), place);
    expect(rig.scale).toBe(4);
    near(toRoom(rig, v(2, 1, 1.2)).sub(place), v(0, 0, 0.25));
    // the user looks along x at it: what is ahead in the world is farther along x
    near(toRoom(rig, v(2, 5, 0.2)).sub(place), v(1, 0, 0));
  });

  it("keeps another up of the world upright", () => {
    const lying = { ...thing, up: v(0, 1, 0), ahead: v(0, 0, -1), floor: 1 };
    const rig = standAt(lying, v(0, 1, 0), head, 1);
    near(footOf(lying, rig), v(0, 1, 0));
    near(toRoom(rig, v(2, 2, 0.4)).sub(toRoom(rig, v(2, 1, 0.4))), Z);
  });

  it("has the front as the user looks where they look straight down at it", () => {
    const rig = standAt(thing, v(0.5, 0.1, 0), head, 1);
    near(toRoom(rig, v(2, 2, 0.2)).sub(toRoom(rig, v(2, 1, 0.2))), head.ahead);
  });
});
