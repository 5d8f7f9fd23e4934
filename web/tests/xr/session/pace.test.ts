// The time that frames take, and what a picture may have when they are late.
import { describe, expect, it } from "vitest";
import { Pace, RATE, rateFor, STEPS } from "../../../src/xr/session/pace.ts";

/** Frames at a rate for so many seconds. */
function run(pace: Pace, rate: number, seconds: number, points = 0): void {
  for (let i = 0; i < rate * seconds; i += 1) pace.took(1 / rate, 1, points);
}

describe("the pace", () => {
  it("gives up quality when frames are late, one step after the other", () => {
    const pace = new Pace();
    run(pace, RATE, 2);
    expect(pace.level).toBe(0);
    run(pace, 36, 0.4);
    expect(pace.level).toBe(1);
    run(pace, 36, 4);
    expect(pace.level).toBe(STEPS.length - 1);
    expect(pace.words).toContain(STEPS.at(-1)!.name);
  });

  it.each([
    [60, 72, true],
    [64, 72, true],
    [70, 72, false],
    [72, 90, true],
    [60, 60, false],
    [90, 72, false],
  ])("%i of %i Hz is late: %s", (rate, shown, isLate) => {
    const pace = new Pace();
    pace.shown = shown;
    run(pace, rate, 3);
    expect(pace.level > 0).toBe(isLate);
    expect(pace.words).toMatch(new RegExp(`^${rate} of ${shown} Hz`));
  });

  it("is not troubled by jitter, single hitches and pauses", () => {
    const pace = new Pace();
    for (let i = 0; i < 500; i += 1) pace.took((i % 2 ? 0.7 : 1.3) / RATE, 1);
    for (let i = 0; i < 5; i += 1) {
      run(pace, RATE, 0.5);
      pace.took(0.3, 1);
      pace.took(3, 1);
    }
    expect(pace.level).toBe(0);
  });

  it("takes a step back when all has been well for ten seconds", () => {
    const pace = new Pace();
    run(pace, 36, 0.4);
    run(pace, RATE, 9.5);
    expect(pace.level).toBe(1);
    run(pace, RATE, 1);
    expect(pace.level).toBe(0);
  });

  it("waits longer after each relapse", () => {
    const pace = new Pace();
    const waits = [0, 0, 0].map(() => {
      run(pace, 36, 0.4);
      expect(pace.level).toBe(1);
      let seconds = 0;
      for (; pace.level > 0 && seconds < 100; seconds += 1 / RATE) pace.took(1 / RATE, 1);
      return Math.round(seconds);
    });
    expect(waits).toEqual([10, 20, 40]);
  });

  it("adds points while there is time, and gives them up before anything else", () => {
    const pace = new Pace();
    const first = pace.points;
    run(pace, RATE, 60, 10_000_000);
    expect(pace.points).toBeGreaterThan(10 * first);
    run(pace, 60, 0.5, 10_000_000);
    expect(pace.points).toBe(5_000_000);
    expect(pace.level).toBe(0);
    expect(pace.words).toContain("fewer points");
    run(pace, 36, 10, 10_000_000);
    expect(pace.points).toBe(3000);
    expect(pace.level).toBe(STEPS.length - 1);
  });

  it("gives up nothing that is not drawn: fewer points than few are no reason", () => {
    const pace = new Pace();
    const { points } = pace;
    run(pace, 36, 0.4, 2000);
    expect(pace.points).toBe(points);
    expect(pace.level).toBe(1);
  });
});

describe("the rate to ask for", () => {
  it("is 72 Hz, else the next that is faster, else the fastest", () => {
    expect(rateFor(new Float32Array([60, 72, 80, 90, 120]))).toBe(72);
    expect(rateFor([120, 90])).toBe(90);
    expect(rateFor([60])).toBe(60);
    expect(rateFor([])).toBeNull();
    expect(rateFor(undefined)).toBeNull();
  });
});
