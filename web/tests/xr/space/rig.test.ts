import { Matrix4, Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";

import {
  firstScale,
  headIn,
  lift,
  moveBetween,
  moveWithHand,
  moveWithHands,
  recentred,
  type Rig,
  scaledAbout,
  scaleText,
  standBefore,
  stepTo,
  throwTo,
  toRoom,
  toWorld,
  turned,
  upright,
} from "../../../src/xr/space/rig.ts";

const v = (x: number, y: number, z: number): Vector3 => new Vector3(x, y, z);
const near = (a: Vector3, b: Vector3): void => expect(a.distanceTo(b)).toBeLessThan(1e-9);
const Z = v(0, 0, 1);
const rig: Rig = {
  position: v(1, 2, 0.5),
  quaternion: new Quaternion().setFromAxisAngle(Z, 0.7),
  scale: 3,
};

describe("a place in the world", () => {
  it("goes into the room and back", () => {
    near(toWorld(rig, toRoom(rig, v(0.3, -4, 2))), v(0.3, -4, 2));
  });

  it("stands before a mechanism with the table under it, its side towards the user kept", () => {
    const thing = { centre: v(2, 1, 0.4), radius: 0.3, floor: 0.2, up: Z, ahead: v(0, 1, 0) };
    const head = { place: v(0.5, 0.1, 1.6), ahead: v(1, 0, 0) };
    const stood = standBefore(thing, head, 1);
    // its foot is straight ahead of the eyes, at table height
    const foot = toRoom(stood, v(2, 1, 0.2));
    expect(foot.y).toBeCloseTo(0.1, 9);
    expect(foot.x).toBeCloseTo(0.5 + 0.4 + 0.3, 9);
    expect(foot.z).toBeCloseTo(lift(0.2, 1.6), 9);
    // what was farther along `ahead` in the world is farther ahead in the room
    expect(toRoom(stood, v(2, 2, 0.2)).x).toBeCloseTo(foot.x + 1, 9);
    // up stays up
    near(toRoom(stood, v(2, 1, 1.2)), v(foot.x, foot.y, foot.z + 1));
  });

  it("keeps another up of the world upright in the room", () => {
    const up = v(0, 1, 0);
    const thing = { centre: v(0, 0.5, 0), radius: 0.5, floor: 0, up, ahead: v(0, 0, -1) };
    const stood = standBefore(thing, { place: v(0, 0, 1.6), ahead: v(0, 1, 0) }, 2);
    const way = toRoom(stood, v(0, 1, 0)).sub(toRoom(stood, v(0, 0, 0)));
    near(way, v(0, 0, 0.5));
  });

  it("puts what is tall on the floor and never lifts anything above a table", () => {
    expect(lift(0.9, 1.7)).toBe(0);
    expect(lift(0.1, 1.2)).toBeCloseTo(0.75, 9);
    expect(lift(0.01, 1.9)).toBe(1.05);
  });

  it("starts at true size unless that is too small or too large", () => {
    expect(firstScale(0.5)).toBe(1);
    expect(firstScale(11)).toBeCloseTo(20, 9);
    expect(firstScale(0.025)).toBeCloseTo(0.1, 9);
  });
});

describe("hands that hold the world", () => {
  it("keep under one hand what was there", () => {
    const moved = moveWithHand(rig, v(0.1, 0.2, 1), v(-0.3, 0.5, 1.4));
    near(toWorld(moved, v(-0.3, 0.5, 1.4)), toWorld(rig, v(0.1, 0.2, 1)));
    expect(moved.scale).toBe(3);
  });

  it("keep under two level hands what was there: moved, turned and scaled", () => {
    const from: [Vector3, Vector3] = [v(-0.2, 0.5, 1), v(0.2, 0.5, 1)];
    const to: [Vector3, Vector3] = [v(-0.1, 0.2, 1.2), v(-0.1, 1.4, 1.2)];
    const moved = moveWithHands(rig, from, to);
    from.forEach((place, i) => near(toWorld(moved, to[i]), toWorld(rig, place)));
    expect(moved.scale).toBeCloseTo(1, 9);
    // it stays upright
    near(Z.clone().applyQuaternion(moved.quaternion), Z);
  });

  it("snap to true size near it, and do not turn by hands one above the other", () => {
    const start: Rig = { ...rig, scale: 1 };
    const moved = moveWithHands(start, [v(0, 0, 1), v(0, 0, 1.4)], [v(0.1, 0, 1), v(0.1, 0.001, 1.41)]); // prettier-ignore
    expect(moved.scale).toBe(1);
    expect(moved.quaternion.angleTo(start.quaternion)).toBeLessThan(1e-9);
  });
});

describe("moving the user", () => {
  it("turns on the spot", () => {
    const head = v(0.4, -0.2, 1.6);
    const next = turned(rig, head, 0.5);
    near(toWorld(next, head), toWorld(rig, head));
    expect(next.quaternion.angleTo(rig.quaternion)).toBeCloseTo(0.5, 9);
  });

  it("steps to a place: the head stands over it, as high as before", () => {
    const head = v(0.4, -0.2, 1.6);
    const place = v(2, 1, 0);
    near(toWorld(stepTo(rig, head, place), head), toWorld(rig, v(2, 1, 1.6)));
  });

  it("throws in an arc that ends on the floor, even when aimed down", () => {
    const arc = throwTo(v(0, 0, 1.2), v(0.8, 0, 0.6));
    expect(arc[0].z).toBeCloseTo(1.2, 9);
    expect(arc.at(-1)!.z).toBeCloseTo(0, 6);
    expect(arc.at(-1)!.x).toBeGreaterThan(3);
    expect(
      throwTo(v(0, 0, 1.2), v(0, 0, -1))
        .at(-1)!
        .length(),
    ).toBeLessThan(1e-6);
  });

  it("shows the world where it was when the room's origin has moved", () => {
    const old = { place: v(0.3, -0.2, 1.6), ahead: v(0, 1, 0) };
    const now = { place: v(0, 0, 1.5), ahead: v(1, 0, 0) };
    const X_ON = moveBetween(old, now);
    const moved = headIn(old, X_ON);
    near(moved.place, now.place);
    near(moved.ahead, now.ahead);
    const next = recentred(rig, X_ON);
    // what was ahead and to the left of the user still is
    near(toWorld(next, v(2, 0.5, 1.1)), toWorld(rig, v(0.3 - 0.5, -0.2 + 2, 1.2)));
    near(toRoom(next, toWorld(rig, old.place)), now.place);
    expect(next.scale).toBe(rig.scale);
    // whatever the system says, the room stays upright
    const tilt = new Matrix4().makeRotationX(0.1);
    expect(upright(X_ON).elements).toEqual(X_ON.elements.map((x) => expect.closeTo(x, 12)));
    const up = new Vector3(0, 0, 1).transformDirection(upright(X_ON.clone().multiply(tilt)));
    near(up, v(0, 0, 1));
  });

  it("scales about a place, and says so as people write it", () => {
    const next = scaledAbout(rig, v(1, 1, 1), 10);
    near(toWorld(next, v(1, 1, 1)), toWorld(rig, v(1, 1, 1)));
    expect([1, 20, 0.2, 2.53].map(scaleText)).toEqual(["true size", "1:20", "5:1", "1:2.5"]);
  });
});
