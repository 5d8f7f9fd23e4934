import { beforeAll, describe, expect, it, vi } from "vitest";

import { withoutSlack } from "../../src/interact/devices/device.ts";
import { GamepadDevice, type Pad, padReading } from "../../src/interact/devices/gamepad.ts";
import { Devices } from "../../src/interact/devices/index.ts";
import { KeyboardDevice } from "../../src/interact/devices/keyboard.ts";
import { Mapping } from "../../src/interact/devices/mapping.ts";
import { MouseDevice } from "../../src/interact/devices/mouse.ts";
import { SlidersDevice } from "../../src/interact/devices/sliders.ts";
import {
  capReading,
  type HidDevice,
  parseReport,
  REST,
  SpaceMouseDevice,
} from "../../src/interact/devices/spacemouse.ts";
import { placeOf, poseAt } from "../../src/kernel/spatial.ts";
import { Studio } from "../../src/store/studio.ts";
import type { DeviceData, TrackerState } from "../../src/wire/messages.ts";
import { type Fixtures, fixtures, snapshotOf } from "../fixtures.ts";

const bytes = (...values: number[]): DataView => new DataView(Uint8Array.from(values).buffer);

describe("SpaceMouse reports", () => {
  it("give translation, then rotation, then buttons", () => {
    let state = parseReport(1, bytes(0x5e, 0x01, 0xa2, 0xfe, 0x10, 0x00));
    expect(state.twist).toEqual([350, -350, 16, 0, 0, 0]);
    state = parseReport(2, bytes(0x01, 0x00, 0xff, 0xff, 0x64, 0x00), state);
    expect(state.twist).toEqual([350, -350, 16, 1, -1, 100]);
    state = parseReport(3, bytes(0b101, 0), state);
    expect(state.buttons.slice(0, 4)).toEqual([true, false, true, false]);
    expect(state.twist[0]).toBe(350);
  });

  it("of twelve bytes give all six at once", () => {
    const state = parseReport(1, bytes(1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0));
    expect(state.twist).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("that are short or unknown change nothing", () => {
    const before = parseReport(1, bytes(9, 0, 9, 0, 9, 0));
    for (const [id, data] of [
      [1, bytes(1)],
      [2, bytes()],
      [23, bytes(1, 2, 3, 4, 5, 6)],
      [3, bytes()],
    ] as const)
      // prettier-ignore
      expect(parseReport(id, data, before)).toBe(before);
  });

  it("become world axes with a little slack in the middle", () => {
    expect(capReading(REST).axes).toEqual([0, 0, 0, 0, 0, 0]);
    const reading = capReading({ twist: [350, 350, -350, 4, 700, 0], buttons: [] });
    expect(reading.translation).toEqual([1, -1, 1]);
    expect(reading.rotation).toEqual([0, -1, 0]);
  });

  it("come from a device by WebHID", async () => {
    const device = Object.assign(new EventTarget(), {
      opened: false,
      productName: "cap",
      open: async () => undefined,
      close: async () => undefined,
    }) as HidDevice;
    const hid = { getDevices: async () => [], requestDevice: vi.fn(async () => [device]) };
    const mouse = new SpaceMouseDevice("cap", hid);
    expect(await mouse.connect(false)).toBe(false);
    expect(await mouse.connect(true)).toBe(true);
    expect(mouse.read()).toBeNull();
    const data = bytes(0x5e, 0x01, 0, 0, 0, 0);
    device.dispatchEvent(Object.assign(new Event("inputreport"), { reportId: 1, data }));
    expect(mouse.read()!.translation).toEqual([1, 0, 0]);
    mouse.dispose();
    expect(mouse.isConnected).toBe(false);
  });
});

const pad = (axes: number[], pressed: Record<number, number> = {}): Pad => ({
  id: "pad",
  connected: true,
  axes,
  buttons: Array.from({ length: 16 }, (_, i) => ({
    pressed: !!pressed[i],
    value: pressed[i] ?? 0,
  })),
  vibrationActuator: { playEffect: vi.fn(async () => "complete") },
});

describe("gamepad", () => {
  it("gives a twist of sticks and triggers", () => {
    const reading = padReading(pad([1, -1, 0.05, 0], { 7: 1, 4: 1 }));
    expect(reading.translation).toEqual([1, 1, 1]);
    expect(reading.rotation).toEqual([0, 0, 1]);
    expect(new GamepadDevice("pad", () => [null, pad([0.05, 0, 0, 0])]).read()).toBeNull();
    expect(new GamepadDevice("pad", () => []).isConnected).toBe(false);
  });

  it("rumbles, but not all the time", () => {
    const one = pad([1, 0, 0, 0]);
    let now = 0;
    const device = new GamepadDevice("pad", () => [one], () => now); // prettier-ignore
    for (; now < 240; now += 10) device.feel(2);
    const { playEffect } = one.vibrationActuator!;
    expect(playEffect).toHaveBeenCalledTimes(3);
    expect(playEffect).toHaveBeenCalledWith(
      "dual-rumble",
      expect.objectContaining({ strongMagnitude: 1 }),
    );
    device.feel(0);
    expect(playEffect).toHaveBeenCalledTimes(3);
  });

  it("asks the browser for pads only once one is plugged in", () => {
    const events = new EventTarget();
    const plugged: Pad[] = [];
    const pads = vi.fn(() => plugged);
    const device = new GamepadDevice("pad", pads, () => 0, events);
    const stirred = (device.stirred = vi.fn());
    expect(pads).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 10; ++i) expect(device.read()).toBeNull();
    expect(pads).toHaveBeenCalledTimes(1);
    plugged.push(pad([1, 0, 0, 0]));
    events.dispatchEvent(new Event("gamepadconnected"));
    expect(stirred).toHaveBeenCalledTimes(1);
    expect(device.read()!.translation[0]).toBe(1);
    plugged.pop();
    events.dispatchEvent(new Event("gamepaddisconnected"));
    const asked = pads.mock.calls.length;
    expect(device.isConnected).toBe(false);
    expect(pads).toHaveBeenCalledTimes(asked);
    device.dispose();
    events.dispatchEvent(new Event("gamepadconnected"));
    expect(stirred).toHaveBeenCalledTimes(2);
  });

  it("has no step where its slack ends", () => {
    expect(withoutSlack(0.1, 0.1)).toBe(0);
    expect(withoutSlack(0.1001, 0.1)).toBeLessThan(0.001);
    expect(withoutSlack(-1.2, 0.1)).toBe(-1);
    expect(withoutSlack(NaN, 0.1)).toBe(0);
  });
});

it("keyboard moves while keys are down, turns with Alt, finely with Shift", () => {
  const keys = new KeyboardDevice();
  expect(keys.read()).toBeNull();
  expect(keys.press("a", true, { alt: false, shift: false })).toBe(false);
  keys.press("ArrowUp", true, { alt: false, shift: false });
  keys.press("PageDown", true, { alt: false, shift: false });
  expect(keys.read()!.translation).toEqual([0, 1, -1]);
  keys.press("PageDown", false, { alt: true, shift: true });
  expect(keys.read()!.rotation).toEqual([0.2, 0, 0]);
  keys.press("ArrowUp", false, { alt: false, shift: false });
  expect(keys.read()).toBeNull();
});

describe("mapping", () => {
  let given: Fixtures;
  let now = 0;
  beforeAll(async () => {
    given = await fixtures("so101", "five-bar");
  });
  function studioOf(name: string, devices: DeviceData[] = []): Studio {
    const studio = new Studio({ kernels: given.kernels, clock: () => (now += 1 / 60) });
    studio.takeSnapshot(snapshotOf(given.models[name].data, { devices }));
    return studio;
  }
  const declared = (change: Partial<DeviceData>): DeviceData => ({
    name: "box",
    type: "sliders",
    moves: [],
    mode: "incremental",
    scale: 1,
    rotation_scale: 1,
    axes: {},
    ...{ port: "", side: null, button: "trigger", holds: "pose" },
    ...change,
  });
  const place = (studio: Studio, site: number): number[] => placeOf(poseAt(studio.poses, site));

  it("moves the selected frame while a key is down, then lets go", () => {
    const studio = studioOf("so101");
    const site = studio.model!.siteCount - 1;
    const keys = new KeyboardDevice();
    const mapping = new Mapping(studio, keys);
    keys.press("ArrowUp", true, { alt: false, shift: false });
    mapping.apply(0.02);
    expect(studio.grabs).toHaveLength(0); // nothing is selected
    studio.select({ kind: "frame", index: studio.model!.data.frames.length - 1 });
    const before = place(studio, site);
    for (let i = 0; i < 10; ++i) mapping.apply(0.02);
    const after = place(studio, site);
    expect(after[1] - before[1]).toBeCloseTo(0.4 * studio.model!.size * 0.2, 4);
    expect(after[0]).toBeCloseTo(before[0], 5);
    keys.press("ArrowUp", false, { alt: false, shift: false });
    for (let i = 0; i < 20; ++i) mapping.apply(0.02);
    expect(studio.grabs).toHaveLength(0);
  });

  it("is read frame by frame from the press of a key until it is let go, then no more", () => {
    const frames = new Map<number, (now: number) => void>();
    let [now, next] = [0, 1];
    vi.stubGlobal("requestAnimationFrame", (step: (now: number) => void) => {
      frames.set(next, step);
      return next++;
    });
    vi.stubGlobal("cancelAnimationFrame", (request: number) => frames.delete(request));
    const pass = (count: number): void => {
      for (let i = 0; i < count; ++i) {
        now += 20;
        const due = [...frames.values()];
        frames.clear();
        for (const step of due) step(now);
      }
    };
    const studio = studioOf("so101");
    vi.spyOn(studio, "clock").mockImplementation(() => now / 1000);
    const devices = new Devices(studio, null);
    expect(devices.isAwake).toBe(false);
    devices.start();
    pass(100);
    expect(devices.isAwake).toBe(false);
    studio.select({ kind: "frame", index: studio.model!.data.frames.length - 1 });
    const site = studio.model!.siteCount - 1;
    const before = place(studio, site);
    devices.keyboard.press("ArrowUp", true, { alt: false, shift: false });
    pass(1);
    // the time that it slept does not count
    expect(place(studio, site)[1]).toBeCloseTo(before[1], 9);
    pass(50);
    expect(studio.grabs).toHaveLength(1);
    devices.keyboard.press("ArrowUp", false, { alt: false, shift: false });
    pass(100);
    expect(studio.grabs).toHaveLength(0);
    expect(frames.size).toBe(0);
    devices.dispose();
    vi.unstubAllGlobals();
  });

  it("does not let a target out of reach run away", () => {
    const studio = studioOf("five-bar");
    const keys = new KeyboardDevice();
    const mapping = new Mapping(studio, keys);
    studio.select({ kind: "frame", index: studio.model!.data.frames.length - 1 });
    keys.press("ArrowUp", true, { alt: false, shift: false });
    for (let i = 0; i < 300; ++i) mapping.apply(0.05);
    const top = place(studio, studio.model!.siteCount - 1)[1];
    keys.press("ArrowUp", false, { alt: false, shift: false });
    keys.press("ArrowDown", true, { alt: false, shift: false });
    for (let i = 0; i < 5; ++i) mapping.apply(0.05);
    expect(place(studio, studio.model!.siteCount - 1)[1]).toBeLessThan(top - 1e-4);
    expect(studio.model!.loopGap(studio.q)).toBeLessThan(1e-9);
  });

  it("turns the joints and parameters that the file names, by the axes it names", () => {
    const { joints } = given.models["five-bar"].data;
    const motors = joints.filter((joint) => joint.variables[0]?.motor).map((joint) => joint.name);
    const parameter = given.models["five-bar"].data.parameters.find((one) => !one.formula)!;
    const studio = studioOf("five-bar", [
      declared({ moves: motors, axes: { [motors[0]]: "-1" } }),
      declared({ name: "knob", moves: [parameter.name], mode: "absolute" }),
    ]);
    const devices = new Devices(studio, null);
    const [box, knob] = devices.boxes;
    expect(box).toBeInstanceOf(SlidersDevice);
    const at = joints.find((joint) => joint.name === motors[0])!.q;
    const before = studio.q[at];
    devices.tick(0);
    box.set(1, 0.5);
    devices.tick(0.1);
    expect(studio.q[at]).toBeLessThan(before);
    box.set(1, 0);
    const value = studio.model!.reals[parameter.index] * 1.02;
    knob.set(0, value);
    devices.tick(0.2);
    expect(studio.model!.reals[parameter.index]).toBeCloseTo(value, 12);
    expect(devices.tick(0.3)).toBe(false);
    devices.dispose();
  });

  it("can be felt at limits", () => {
    const studio = studioOf("so101");
    const one = pad([0, -1, 0, 0]);
    const device = new GamepadDevice("pad", () => [one]);
    const index = studio.model!.data.joints.findIndex((joint) =>
      Number.isFinite(studio.model!.upper[joint.v]),
    );
    studio.select({ kind: "joint", index });
    const mapping = new Mapping(studio, device, declared({ type: "gamepad", axes: {} }));
    for (let i = 0; i < 100; ++i) mapping.apply(0.1);
    expect(one.vibrationActuator!.playEffect).toHaveBeenCalled();
  });

  it("trackers move their frame as they move, and leave it where they are lost", () => {
    const site = studioOf("so101").model!.siteNames.at(-1)!;
    const puck = { name: "puck", type: "tracker", port: "5005", moves: [site] };
    const studio = studioOf("so101", [declared({ ...puck, scale: 0.5, holds: "point" })]);
    const devices = new Devices(studio, null);
    const [mapping] = devices.mappings;
    expect([mapping.name, mapping.device.isConnected, devices.foreign]).toEqual([
      "puck",
      false,
      [],
    ]);
    const at = studio.model!.siteCount - 1;
    const start = place(studio, at);
    const sent = (pose: TrackerState["pose"], port = 5005): void =>
      studio.trackers.took({ kind: "tracker", name: "puck", port, pose, trouble: pose ? "" : "no packets yet" }); // prettier-ignore
    sent(null);
    expect(studio.trackers.wordsOf("puck")).toBe("port 5005: no packets yet");
    // wherever it is at first, only its way counts
    sent([1, 0, 0, 0, 7, 8, 9]);
    place(studio, at).forEach((x, i) => expect(x).toBeCloseTo(start[i], 4));
    expect(studio.trackers.wordsOf("puck")).toBe("tracked");
    for (let i = 1; i <= 10; ++i) sent([1, 0, 0, 0, 7, 8, 9 - 0.004 * i]);
    expect(place(studio, at)[2]).toBeCloseTo(start[2] - 0.02, 3);
    expect(studio.grabs).toHaveLength(1);
    sent(null);
    expect(studio.grabs).toHaveLength(0);
    const kept = studio.q.slice();
    // it comes back elsewhere
    sent([1, 0, 0, 0, 1, 1, 1]);
    studio.q.forEach((x, i) => expect(x).toBeCloseTo(kept[i], 4));
    sent(null, 0);
    expect([studio.grabs.length, studio.trackers.wordsOf("puck")]).toEqual([0, ""]);
    devices.dispose();
  });

  it("boxes leave alone what was not touched, buttons move while they are held", () => {
    const names = given.models.so101.data.joints.slice(0, 2).map((joint) => joint.name);
    const studio = studioOf("so101", [
      declared({ moves: names, mode: "absolute" }),
      declared({ name: "keys", type: "buttons", moves: names, mode: "absolute" }),
      declared({ name: "pose", moves: [studioOf("so101").model!.siteNames.at(-1)!] }),
      declared({ name: "glove", type: "tracker" }),
    ]);
    const devices = new Devices(studio, null);
    const [box, keys, pose] = devices.boxes;
    expect(devices.foreign.map((one) => one.name)).toEqual(["glove"]);
    expect(pose.axisNames).toHaveLength(6);
    const [first, second] = studio.model!.data.joints;
    const before = studio.q.slice();
    devices.tick(0);
    box.set(0, before[first.q] + 0.1);
    devices.tick(0.02);
    expect(studio.q[first.q]).toBeCloseTo(before[first.q] + 0.1, 12);
    expect(studio.q[second.q]).toBe(before[second.q]);
    keys.set(1, -1);
    for (let i = 2; i < 12; ++i) devices.tick(0.02 * i);
    expect(studio.q[second.q]).toBeCloseTo(before[second.q] - 1.2 * 0.2, 6);
    keys.set(1, 0);
    expect(devices.tick(0.3)).toBe(false);
    const site = studio.model!.siteCount - 1;
    const height = place(studio, site)[2];
    pose.set(2, 1);
    for (let i = 0; i < 10; ++i) devices.tick(0.32 + 0.02 * i);
    expect(place(studio, site)[2]).toBeGreaterThan(height);
    devices.dispose();
  });

  it("a mouse moves by its way, however often it is read", () => {
    const ways = [1, 4].map((parts) => {
      let time = 0;
      const mouse = new MouseDevice(null, () => time);
      const studio = studioOf("so101");
      const site = studio.model!.siteCount - 1;
      const mapping = new Mapping(
        studio,
        mouse,
        declared({ type: "mouse", moves: [studio.model!.siteNames[site]] }),
      );
      const before = place(studio, site);
      for (let i = 0; i < parts; ++i) {
        mouse.push(0, 20 / parts, 0);
        time += 0.08 / parts;
        mapping.apply(0.08 / parts);
      }
      for (let i = 0; i < 10; ++i) studio.tick();
      return place(studio, site)[2] - before[2];
    });
    expect(ways[0]).toBeGreaterThan(1e-3);
    expect(ways[1]).toBeCloseTo(ways[0], 4);
  });

  it("parameters that a device changed are written into the text", () => {
    const parameter = given.models["five-bar"].data.parameters.find((one) => !one.formula)!;
    const studio = studioOf("five-bar", [declared({ moves: [parameter.name], mode: "absolute" })]);
    const commit = vi.spyOn(studio, "commitNumbers");
    const devices = new Devices(studio, null);
    devices.tick(0);
    devices.boxes[0].set(0, studio.model!.reals[parameter.index] * 1.01);
    for (let i = 1; i < 10; ++i) devices.tick(0.1 * i);
    expect(commit).toHaveBeenCalledExactlyOnceWith("Change with box");
    devices.dispose();
  });
});

it("a SpaceMouse that is pulled out is gone, and can be connected again", async () => {
  const device = Object.assign(new EventTarget(), {
    opened: true,
    productName: "cap",
    open: async () => undefined,
    close: async () => undefined,
  });
  const hid = Object.assign(new EventTarget(), {
    getDevices: async () => [device],
    requestDevice: async () => [device],
  });
  const cap = new SpaceMouseDevice("cap", hid);
  cap.changed = vi.fn();
  expect(await cap.connect(false)).toBe(true);
  hid.dispatchEvent(Object.assign(new Event("disconnect"), { device: new EventTarget() }));
  expect(cap.isConnected).toBe(true);
  hid.dispatchEvent(Object.assign(new Event("disconnect"), { device }));
  expect(cap.isConnected).toBe(false);
  expect(cap.changed).toHaveBeenCalledTimes(2);
  expect(await cap.connect(false)).toBe(true);
});
