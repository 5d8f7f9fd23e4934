import { expect, it } from "vitest";

import { Emitter } from "../../src/store/emitter.ts";
import { DEFAULTS, loadSettings, saveSettings } from "../../src/store/settings.ts";
import { FakeStore } from "../wire/fake-socket.ts";

it("come back as they were left", () => {
  const store = new FakeStore();
  const changed = {
    ...DEFAULTS,
    theme: "dark",
    overlays: ["limits", "traces"],
    leftWidth: 240,
  } as const;
  saveSettings(store, changed);
  expect(loadSettings(store)).toEqual(changed);
});

it("fall back where what was kept makes no sense", () => {
  const store = new FakeStore();
  for (const bad of [
    "{",
    "null",
    "7",
    '{"theme": "pink", "leftWidth": "wide", "overlays": ["x"], "x": 1}',
  ]) {
    store.setItem("kinegen.settings", bad);
    expect(loadSettings(store)).toEqual(DEFAULTS);
  }
  expect(loadSettings(null)).toEqual(DEFAULTS);
  const full = { getItem: () => null, setItem: () => { throw new Error("full"); } }; // prettier-ignore
  expect(() => saveSettings(full, DEFAULTS)).not.toThrow();
});

it("listeners hear until they unsubscribe, also from within an event", () => {
  const emitter = new Emitter<{ a: number }>();
  const heard: number[] = [];
  const off = emitter.on("a", (value) => {
    heard.push(value);
    off();
    last();
  });
  const last = emitter.on("a", (value) => heard.push(10 * value));
  emitter.emit("a", 1);
  emitter.emit("a", 2);
  expect(heard).toEqual([1]);
});

it("who listens to any event hears each, after those who listen to its name", () => {
  const emitter = new Emitter<{ a: number; b: string }>();
  const heard: string[] = [];
  const off = emitter.onAny(() => heard.push("any"));
  emitter.on("a", () => heard.push("a"));
  emitter.emit("a", 1);
  emitter.emit("b", "");
  expect(heard).toEqual(["a", "any", "any"]);
  off();
  emitter.emit("b", "");
  expect(heard).toHaveLength(3);
});
