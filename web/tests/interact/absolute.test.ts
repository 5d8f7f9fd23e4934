// Absolute devices: which hand is which device, and how a part follows it.
import { describe, expect, it } from "vitest";
import { deviceOf, follow } from "../../src/interact/devices/absolute.ts";
import type { Four, Three } from "../../src/kernel/spatial.ts";
import type { DeviceData } from "../../src/wire/messages.ts";
import { elsewhereNote } from "../../src/ui/scene/devices/devices.ts";

const declared = (change: Partial<DeviceData>): DeviceData => ({
  ...{ name: "d", type: "controller", moves: ["tool"], mode: "absolute", scale: 1 },
  ...{ rotation_scale: 1, axes: {}, port: "", side: null, button: "trigger", holds: "pose" },
  ...change,
});
const half = Math.SQRT1_2;
const level: Four = [1, 0, 0, 0];
const aboutZ: Four = [half, 0, 0, half];

describe("absolute devices", () => {
  it("make the hand's way times the scale, wherever the hand is", () => {
    const from = { position: [5, 5, 5] as Three, quat: level };
    const now = { position: [5.1, 5, 4.8] as Three, quat: level };
    const part = { position: [1, 0, 0] as Three, quat: aboutZ };
    const target = follow({ from, now }, part, 0.5);
    [1.05, 0, -0.1].forEach((x, k) => expect(target.position[k]).toBeCloseTo(x, 12));
    expect(target.quat).toEqual(aboutZ);
  });

  it("turn as the hand does, in world axes, whatever the scale", () => {
    const from = { position: [0, 0, 0] as Three, quat: aboutZ };
    const now = { position: [0, 0, 0] as Three, quat: level };
    const part = { position: [1, 2, 3] as Three, quat: aboutZ };
    const target = follow({ from, now }, part, 3);
    expect(target.position).toEqual([1, 2, 3]);
    level.forEach((x, k) => expect(target.quat[k]).toBeCloseTo(x, 12));
  });

  it("belong to a hand by kind and side", () => {
    const left = declared({ name: "left", side: "left" });
    const bare = declared({ name: "bare", type: "hand" });
    const puck = declared({ name: "puck", type: "tracker" });
    const all = [left, bare, puck];
    expect(deviceOf({ kind: "controller", side: "left" }, all)).toBe(left);
    expect(deviceOf({ kind: "controller", side: "right" }, all)).toBeUndefined();
    expect(deviceOf({ kind: "tracked", side: "right" }, all)).toBe(bare);
    expect(deviceOf({ kind: "controller", side: "none" }, all)).toBe(puck);
    // one with a port is read by the studio, also in a headset
    const wired = declared({ name: "wired", type: "tracker", port: "5005" });
    expect(deviceOf({ kind: "controller", side: "none" }, [wired])).toBeUndefined();
    expect(deviceOf({ kind: "pointer", side: "left" }, all)).toBeUndefined();
  });

  it("are listed outside a headset with what they need", () => {
    expect(elsewhereNote(declared({ side: "left", scale: 0.2 }))).toBe(
      "in a headset, left controller: hold its trigger; moves tool (0.2 ×)",
    );
    expect(elsewhereNote(declared({ type: "haply" }))).toContain("connect it to the studio");
  });
});
