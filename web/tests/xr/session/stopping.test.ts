// A stop gesture ends motion, whoever else sees it, and however slowly a world runs.
import { Vector3 } from "three";
import { describe, expect, it, vi } from "vitest";
import type { Hand } from "../../../src/xr/hands/inputs.ts";
import { Stopping } from "../../../src/xr/session/stopping.ts";

const EYES = new Vector3(0, 0, 1.6);

function room(areGesturesRead: boolean) {
  const frame = { time: 3, objects: new Float64Array(7) };
  const simulation = {
    ...{ isRunning: true, frame, sensors: { areGesturesRead } },
    pause: vi.fn(async () => void (simulation.isRunning = false)),
  };
  const robot = { stop: vi.fn() };
  const paths = { walk: { pause: vi.fn() } };
  const studio = { simulation, robot, paths, q: new Float64Array(1), rest: vi.fn() };
  const release = vi.fn();
  const stopping = new Stopping(studio as never, release);
  const hand = { joints: null, side: "left", commands: { menu: false, stop: false } };
  const frames = (
    seconds: number,
    change: (now: number) => void = () => undefined,
  ): number | null => {
    for (let now = 0; now < seconds; now += 1 / 72) {
      change(now);
      stopping.update([hand as unknown as Hand], EYES, 1 / 72, 100 + now);
      if (simulation.pause.mock.calls.length) return now;
    }
    return null;
  };
  return { simulation, robot, release, stopping, hand, frames, frame, studio };
}

describe("stopping", () => {
  it("is at once where nobody else reads gestures", () => {
    const { hand, frames, robot, release } = room(false);
    expect(frames(1)).toBeNull();
    hand.commands = { menu: false, stop: true };
    expect(frames(1)).toBe(0);
    expect(robot.stop).toHaveBeenCalledOnce();
    expect(release).toHaveBeenCalled();
  });

  it("waits for agents that read gestures, but stops a real robot and lets go at once", () => {
    const { hand, frames, robot, release, frame, studio } = room(true);
    hand.commands = { menu: false, stop: true };
    const end = frames(3, (now) => {
      frame.time = 3 + now;
      studio.q[0] = now;
    });
    expect(end).toBeCloseTo(1.2, 1);
    expect(robot.stop).toHaveBeenCalled();
    expect(release).toHaveBeenCalled();
  });

  it.each([
    ["hangs", 0],
    ["runs slowly", 0.01],
  ])("waits no longer where the world %s", (_, pace) => {
    const { hand, frames, frame, studio } = room(true);
    hand.commands = { menu: false, stop: true };
    const end = frames(3, (now) => {
      frame.time = 3 + pace * now;
      studio.q[0] = pace * now;
    });
    expect(end).toBeGreaterThan(1.2);
    expect(end).toBeLessThan(2);
  });

  it("sees objects that no joint moves", () => {
    const { hand, frames, frame } = room(true);
    hand.commands = { menu: false, stop: true };
    const end = frames(3, (now) => {
      frame.time = 3 + now;
      frame.objects[4] = 0.2 * now;
    });
    expect(end).toBeCloseTo(1.2, 1);
  });

  it("leaves a world alone whose agents have ended the motion", () => {
    const { hand, frames, frame, studio } = room(true);
    hand.commands = { menu: false, stop: true };
    const end = frames(4, (now) => {
      frame.time = 3 + now;
      studio.q[0] = Math.min(0.5, now);
    });
    expect(end).toBeNull();
  });

  it("does not wait for a hand that is seen no more", () => {
    const { hand, frames, stopping, simulation, frame, studio } = room(true);
    hand.commands = { menu: false, stop: true };
    frames(0.3, (now) => {
      frame.time = 3 + now;
      studio.q[0] = now;
    });
    stopping.interrupt(100.3);
    expect(simulation.pause).toHaveBeenCalledOnce();
  });
});
