import { Vector3 } from "three";
import { describe, expect, it } from "vitest";

import { isStopHand, StopGesture } from "../../src/xr/hands/gestures.ts";
import { type Met, strengthOf } from "../../src/xr/hands/pulses.ts";
import { abilities } from "../../src/xr/session/session.ts";

const FREE: Met = { lack: 0, isStopped: false, margin: 1, force: 0, knock: 0 };

describe("pulses", () => {
  it("are none while nothing stands in the way", () => {
    expect(strengthOf(FREE)).toBe(0);
  });

  it("grow with the pull beyond a limit, the nearness of a singular pose, and the force", () => {
    const grows = (make: (x: number) => Partial<Met>, xs: number[]): void => {
      const felt = xs.map((x) => strengthOf({ ...FREE, ...make(x) }));
      felt.slice(1).forEach((next, i) => expect(next).toBeGreaterThan(felt[i]));
      expect(felt.at(-1)).toBeLessThanOrEqual(1);
    };
    grows((lack) => ({ lack, isStopped: true }), [0, 0.02, 0.1, 0.15]);
    grows((near) => ({ margin: 0.15 - near }), [0, 0.05, 0.1, 0.15]);
    grows((force) => ({ force }), [0, 5, 50, 500]);
    grows((knock) => ({ knock }), [0, 0.3, 1]);
  });

  it("say more about a limit than about being out of reach", () => {
    const beyond = { ...FREE, lack: 0.3 };
    expect(strengthOf({ ...beyond, isStopped: true })).toBe(1);
    expect(strengthOf(beyond)).toBe(0.25);
  });
});

describe("a flat hand held up", () => {
  /** A right hand, fingers up, at y = 0.5 before eyes at the origin's height; palm along +y. */
  const hand = (curl: number): Float32Array => {
    const joints = new Float32Array(100);
    const put = (i: number, p: Vector3): void => void p.toArray(joints, 4 * i);
    put(0, new Vector3(0, 0.5, 1.4));
    [0, 1, 2, 3, 4].forEach((finger) => {
      const first = finger === 0 ? 1 : 5 * finger;
      const count = finger === 0 ? 4 : 5;
      let place = new Vector3(-0.04 + 0.02 * finger, 0.5, 1.42);
      let angle = 0;
      for (let k = 0; k < count; k += 1) {
        put(first + k, place);
        angle += k > 0 ? curl : 0;
        place = place.clone().add(new Vector3(0, Math.sin(angle), Math.cos(angle)).multiplyScalar(0.03)); // prettier-ignore
      }
    });
    return joints;
  };
  const eyes = new Vector3(0, 0, 1.5);

  it("is seen from behind, and not as a fist or from the palm's side", () => {
    expect(isStopHand(hand(0), "right", eyes)).toBe(true);
    expect(isStopHand(hand(0.9), "right", eyes)).toBe(false);
    expect(isStopHand(hand(0), "left", eyes)).toBe(false);
    expect(isStopHand(hand(0), "right", new Vector3(0, 1, 1.5))).toBe(false);
  });

  it("counts once, after it has lasted", () => {
    const gesture = new StopGesture();
    const said = Array.from({ length: 60 }, () => gesture.update(true, 1 / 72));
    expect(said.filter(Boolean)).toHaveLength(1);
    expect(said.indexOf(true)).toBe(Math.ceil(0.35 * 72) - 1);
    gesture.update(false, 1 / 72);
    expect(gesture.update(true, 0.4)).toBe(true);
  });
});

describe("what the browser can do", () => {
  const xr = (...modes: string[]) =>
    ({ isSessionSupported: async (mode: string) => modes.includes(mode) }) as unknown as XRSystem;

  it("is found out, and said where it is nothing", async () => {
    expect(await abilities({ xr: xr("immersive-ar"), isSecure: true })).toEqual({
      ...{ vr: false, ar: true, words: "" },
    });
    expect((await abilities({ xr: xr(), isSecure: true })).words).toContain("finds no headset");
    expect((await abilities({ xr: undefined, isSecure: true })).words).toContain("has no WebXR");
    expect((await abilities({ xr: xr("immersive-vr"), isSecure: false })).words).toContain("https");
  });
});
