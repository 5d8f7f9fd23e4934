import { Matrix4, Vector3 } from "three";
import { describe, expect, it } from "vitest";

import type { Hand } from "../../../src/xr/hands/inputs.ts";
import { isRead, menuAt, wristOf } from "../../../src/xr/panels/wrist.ts";

/** Eyes that look along +y; right is +x. */
const head = { place: new Vector3(0, 0, 1.6), ahead: new Vector3(0, 1, 0) };
const WRIST = new Vector3(0, 0.3, 1.3);

/** A bare hand by the directions of its fingers and of its back. */
function bare(side: "left" | "right", fingers: Vector3, back: Vector3): Hand {
  const joints = new Float32Array(100);
  const thumb = fingers
    .clone()
    .cross(back)
    .multiplyScalar(side === "left" ? 1 : -1);
  const put = (i: number, along: number, aside: number): void =>
    void WRIST.clone()
      .addScaledVector(fingers, along)
      .addScaledVector(thumb, aside)
      .toArray(joints, 4 * i);
  put(0, 0, 0);
  put(6, 0.09, 0.03);
  put(11, 0.09, 0.01);
  put(21, 0.08, -0.04);
  return { joints, side, kind: "tracked", grip: null } as Hand;
}
/** A controller in a fist: x leaves the back of a right hand, y leads to the elbow. */
function held(side: "left" | "right", fist: Vector3, back: Vector3): Hand {
  const x = back.clone().multiplyScalar(side === "left" ? -1 : 1);
  const y = fist.clone().negate();
  const grip = new Matrix4().makeBasis(x, y, x.clone().cross(y)).setPosition(WRIST);
  return { grip, side, kind: "controller", joints: null } as Hand;
}
const toEyes = head.place.clone().sub(WRIST).normalize();
const across = new Vector3(1, 0, 0);
const read = (hand: Hand, wasRead = false): boolean =>
  isRead(wristOf(hand)!, hand.side, head, wasRead);

for (const [name, make] of [
  ["a bare hand", bare],
  ["a hand with a controller", held],
] as const)
  describe(`the wrist of ${name}`, () => {
    it("is read when its back is turned to the eyes and the forearm lies across", () => {
      expect(read(make("left", across, toEyes))).toBe(true);
      expect(read(make("right", across.clone().negate(), toEyes))).toBe(true);
      const { back, along } = wristOf(make("left", across, toEyes))!;
      expect(back.angleTo(toEyes)).toBeLessThan(1e-6);
      expect(along.angleTo(across)).toBeLessThan(0.2);
    });

    it("is not read from the palm, nor when the hand reaches out, points up, or is far away", () => {
      expect(read(make("left", across, toEyes.clone().negate()))).toBe(false);
      const ahead = new Vector3(0, 1, 0);
      const back = new Vector3(1, 0, 0).cross(ahead);
      expect(read(make("left", ahead, back))).toBe(false);
      // a flat hand held up stops everything: it shows its back to the eyes, too
      const up = new Vector3(0, 0, 1).projectOnPlane(toEyes).normalize();
      expect(read(make("left", up, toEyes))).toBe(false);
      const far = make("left", across, toEyes);
      const distant = { ...head, place: head.place.clone().addScaledVector(toEyes, 0.5) };
      expect(isRead(wristOf(far)!, "left", distant, false)).toBe(false);
    });

    it("stays read a little longer, so that the menu does not flicker", () => {
      const tilted = toEyes.clone().applyAxisAngle(across, 0.75);
      const hand = make("left", across, tilted);
      expect([read(hand), read(hand, true)]).toEqual([false, true]);
    });
  });

it("shows its menu beside the wrist, upright and turned to the eyes", () => {
  const wrist = wristOf(bare("left", across, toEyes))!;
  const X = menuAt(wrist, head.place);
  const place = new Vector3().setFromMatrixPosition(X);
  expect(place.distanceTo(wrist.place)).toBeLessThan(0.12);
  const [x, , z] = [new Vector3(), new Vector3(), new Vector3()];
  X.extractBasis(x, new Vector3(), z);
  expect(z.angleTo(head.place.clone().sub(place))).toBeLessThan(1e-6);
  expect(Math.abs(x.z)).toBeLessThan(1e-9);
});

it("is unknown for eyes and fingers on a screen", () => {
  expect(
    wristOf({ kind: "pointer", side: "left", joints: null, grip: new Matrix4() } as Hand),
  ).toBeNull();
});
