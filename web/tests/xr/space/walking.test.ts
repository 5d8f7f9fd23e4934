// Sticks move the user, and only those that were pushed for that.
import { Matrix4, Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import type { Hand } from "../../../src/xr/hands/inputs.ts";
import { type Rig, toWorld } from "../../../src/xr/space/rig.ts";
import { SNAP_TURN, Walking } from "../../../src/xr/space/walking.ts";

const HEAD = new Vector3(0, 0, 1.6);

function user() {
  const rig: Rig = { position: new Vector3(), quaternion: new Quaternion(), scale: 1 };
  const place = { rig };
  const walking = new Walking(place);
  // at the height of a chest, pointing ahead: -z of a ray is y of the room
  const ray = new Matrix4().makeRotationX(Math.PI / 2).setPosition(0.2, 0.3, 1.2);
  const hand = { ray, stick: [0, 0] } as unknown as Hand;
  const frame = (stick: readonly [number, number], isIdle = true): void => {
    hand.stick = stick;
    walking.update(isIdle ? [hand] : [], HEAD);
  };
  frame([0, 0]);
  return { place, walking, hand, frame, start: rig };
}

describe("a stick", () => {
  it("that is pushed forwards aims, and steps when it is let go", () => {
    const { place, walking, frame, start } = user();
    frame([0, 1]);
    expect(place.rig).toBe(start);
    const spot = walking.aimed!.at(-1)!;
    frame([0, 0.5]);
    expect(walking.aimed).not.toBeNull();
    frame([0, 0]);
    expect(walking.aimed).toBeNull();
    const feet = toWorld(place.rig, HEAD.clone().setZ(0));
    expect(feet.distanceTo(spot)).toBeLessThan(1e-9);
    expect(feet.y).toBeGreaterThan(1);
  });

  it("turns by one step to the side it is pushed to", () => {
    const { place, frame } = user();
    frame([1, 0]);
    frame([1, 0]);
    frame([0, 0]);
    const turn = 2 * Math.atan2(place.rig.quaternion.z, place.rig.quaternion.w);
    expect(turn).toBeCloseTo(-SNAP_TURN, 9);
  });

  it("moves nobody when the hand is lost while it aims", () => {
    const { place, walking, hand, frame, start } = user();
    const { ray } = hand;
    frame([0, 1]);
    hand.ray = null;
    frame([0, 1]);
    expect(walking.aimed).toBeNull();
    hand.ray = ray;
    frame([0, 1]);
    expect(walking.aimed).toBeNull();
    frame([0, 0]);
    expect(place.rig).toBe(start);
    frame([0, 1]);
    expect(walking.aimed).not.toBeNull();
  });

  it.each([
    [0, 1],
    [1, 0],
  ] as const)("that pushed a held part (%i, %i) must return to the middle first", (x, y) => {
    const { place, walking, frame, start } = user();
    frame([x, y], false);
    frame([x, y]);
    frame([x, y]);
    expect(walking.aimed).toBeNull();
    frame([0, 0]);
    expect(place.rig).toBe(start);
    frame([1, 0]);
    expect(place.rig).not.toBe(start);
  });

  it("makes no step that was aimed before everything was interrupted", () => {
    const { place, walking, frame, start } = user();
    frame([0, 1]);
    walking.cancel();
    frame([0, 0]);
    expect(place.rig).toBe(start);
  });
});
