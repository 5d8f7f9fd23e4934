// A stop gesture in a world whose agents detect it.
import { describe, expect, it } from "vitest";
import { Patience } from "../../../src/xr/hands/gestures.ts";

interface Case {
  /** Of a joint, or of an object, until it is at rest [per s of the world]. */
  speed: number;
  /** [s of the world] */
  rests?: number;
  /** When the hand is lowered [s]. */
  lowered?: number;
  /** Seconds of the world per second. */
  pace?: number;
}

/** The real time at which everything is stopped, or null. */
function stopped({ speed, rests = Infinity, lowered = Infinity, pace = 1 }: Case): number | null {
  const patience = new Patience();
  let place = 0;
  for (let i = 0; i <= 300; i += 1) {
    const now = i / 100;
    const time = 5 + pace * now;
    if (pace * now < rests) place += (pace * speed) / 100;
    if (patience.update(now < lowered, [0.3, place], time, 70 + now)) return now;
  }
  return null;
}

describe("a stop gesture in a world that detects gestures", () => {
  it("leaves the motion to agents that end it", () => {
    expect(stopped({ speed: 1, rests: 0.6, lowered: 2 })).toBeNull();
    expect(stopped({ speed: 1, rests: 0.6 })).toBeNull();
  });

  it("stops motion that agents do not end", () => {
    expect(stopped({ speed: 1 })).toBeCloseTo(1.2, 1);
    expect(stopped({ speed: 0.05 })).toBeCloseTo(1.2, 1);
  });

  it("stops what still moves when the hand is lowered, however short it was up", () => {
    expect(stopped({ speed: 1, lowered: 0.1 })).toBeCloseTo(0.1, 5);
    expect(stopped({ speed: 1, lowered: 0.8 })).toBeCloseTo(0.8, 5);
  });

  it("says it once, and begins again with the next gesture", () => {
    const patience = new Patience();
    expect(patience.update(false, [0], 0, 0)).toBe(false);
    patience.update(true, [0], 0, 0);
    expect(patience.update(false, [1], 0.1, 0.1)).toBe(true);
    expect(patience.update(false, [2], 0.2, 0.2)).toBe(false);
  });

  it.each([0.5, 0.05, 0.001, 0])(
    "does not wait longer where a world runs at %f of its pace",
    (pace) => {
      expect(stopped({ speed: 1, pace })).toBeCloseTo(1.5, 1);
    },
  );

  it("sees also in a slow world that the motion has ended", () => {
    expect(stopped({ speed: 1, pace: 0.05, rests: 0.03 })).toBeNull();
  });
});
