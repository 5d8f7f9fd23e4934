import { expect, it } from "vitest";

import { Felt, forceShare, loadShare } from "../../src/interact/devices/felt.ts";
import { phoneMotor, Rumble } from "../../src/interact/devices/rumble.ts";
import type { LiveFrame } from "../../src/wire/frames.ts";

const frameOf = (contacts: number, kinetic: number, saturated = [0]): LiveFrame =>
  ({
    ...{ contacts, kinetic, efforts: new Float64Array(saturated.length) },
    saturated: Float64Array.from(saturated),
  }) as LiveFrame;
const running = (force: number, frame: LiveFrame | null = null) => ({
  isRunning: true,
  force,
  frame,
  largestEfforts: [Infinity, Infinity],
});

it("rumbles with the force while it is felt, and stops", () => {
  const played: number[] = [];
  let stopped = 0;
  const motor = {
    playEffect: (_: "dual-rumble", effect: Record<string, number>) => {
      played.push(effect.weakMagnitude!);
      return Promise.resolve();
    },
    reset: () => Promise.resolve(++stopped),
  };
  const rumble = new Rumble(() => [motor]);
  rumble.tick(running(40), 0);
  rumble.tick(running(40), 10);
  rumble.tick(running(400), 100);
  rumble.tick(running(0), 110);
  expect(played).toEqual([0.5, forceShare(400)]);
  expect(stopped).toBe(1);
});

it("feels an impact as strongly as it takes motion away, for a moment", () => {
  const felt = new Felt();
  expect(felt.of(running(0, frameOf(0, 4)), 0).strong).toBe(0);
  expect(felt.of(running(0, frameOf(2, 3)), 10).strong).toBe(0.5);
  expect(felt.of(running(0, frameOf(2, 3)), 100).strong).toBe(0.5);
  expect(felt.of(running(0, frameOf(2, 3)), 200).strong).toBe(0);
  // a gentle touch is felt too; parting is not
  expect(felt.of(running(0, frameOf(3, 3)), 210).strong).toBe(0.2);
  expect(felt.of(running(0, frameOf(0, 3)), 400).strong).toBe(0);
});

it("feels a motor at its limit, and nothing of what is paused", () => {
  const felt = new Felt();
  const limit = frameOf(0, 1, [0, 1]);
  const feel = felt.of(running(0, limit), 0);
  expect(feel.weak).toBeCloseTo(0.4, 12);
  expect(feel.strong).toBe(0);
  expect(felt.of({ ...running(50, limit), isRunning: false }, 10)).toEqual({ weak: 0, strong: 0 });
});

it("feels the load of a motor in proportion, from 60 % of its largest effort", () => {
  const share = (...efforts: number[]) =>
    loadShare({ efforts: Float64Array.from(efforts), saturated: new Float64Array(2) }, [10, Infinity]); // prettier-ignore
  // a motor without a largest effort is never loaded
  expect(share(6, 1e6)).toBe(0);
  expect(share(-8, 0)).toBeCloseTo(0.2, 12);
  expect(share(9, 0)).toBeCloseTo(0.3, 12);
  expect(share(50, 0)).toBeCloseTo(0.4, 12);
});

it("lets a phone vibrate the longer the stronger", async () => {
  const patterns: number[] = [];
  const motor = phoneMotor((pattern) => patterns.push(pattern) > 0);
  await motor.playEffect("dual-rumble", { duration: 90, weakMagnitude: 0.5, strongMagnitude: 0.2 });
  await motor.reset?.();
  expect(patterns).toEqual([45, 0]);
});
