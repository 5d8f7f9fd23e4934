import { expect, it } from "vitest";

import { chosenJoint, liveSeries } from "../../../src/ui/bottom/charts/live-series.ts";
import {
  closedText,
  energyText,
  driftText,
  isSound,
  isStill,
  lagText,
  stiffnessText,
} from "../../../src/ui/forces/words.ts";
import type { LiveRow } from "../../../src/store/simulation/history.ts";
import { linkLoads } from "../../../src/store/simulation/loads.ts";
import { loadColor } from "../../../src/view/forces/loads.ts";
import { forceText, torqueText } from "../../../src/view/units.ts";
import type { LiveFrame } from "../../../src/wire/frames.ts";
import type { ModelData } from "../../../src/wire/messages.ts";

it("says how well loops close and whether energy was invented", () => {
  expect(closedText(3e-7)).toBe("0.30 µm");
  expect(closedText(1e-13)).toBe("< 0.001 µm");
  expect(driftText({ drift: 1e-9, scale: 1 })).toBe("0.00 %");
  expect(driftText({ drift: 0.02, scale: 1 })).toBe("2.00 %");
  expect(driftText({ drift: 1e-20, scale: 0 })).toBe("0.00 %");
  expect(isSound({ widest_gap: 2e-6, drift: 0, scale: 1 } as LiveFrame, 1)).toBe(false);
  expect(isSound({ widest_gap: 1e-7, drift: 1e-4, scale: 1 } as LiveFrame, 1)).toBe(true);
});

it("writes forces, energies and springs with units", () => {
  expect(forceText(12.34)).toBe("12.3 N");
  expect(forceText(52137)).toBe("52.1 kN");
  expect(torqueText(-0.5)).toBe("−0.50 N m");
  expect(energyText(0.0123)).toBe("12.3 mJ");
  expect(energyText(-85100)).toBe("−85.1 kJ");
  expect(energyText(-1.297e15)).toBe("−1297 TJ");
  expect(energyText(2.5e7)).toBe("25.0 MJ");
  expect(energyText(-1e-14)).toBe("0.00 J");
  expect(stiffnessText(1150)).toBe("1150 N/m");
  expect(lagText(0.5, 1)).toContain("0.50");
  expect(lagText(0.95, 1)).toBeNull();
});

it("knows what nothing moves", () => {
  expect(isStill({ time: 1, scale: 1e-29 })).toBe(true);
  expect(isStill({ time: 0.1, scale: 0 })).toBe(false);
  expect(isStill({ time: 1, scale: 1e-6 })).toBe(false);
});

it("loads a link by the strongest of its joints", () => {
  const joints = [
    { parent: 0, child: 1 },
    { parent: 1, child: 2 },
  ];
  const reactions = Float64Array.of(3, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
  expect(linkLoads(joints, reactions)).toEqual([5, 5, 1]);
  expect(linkLoads(joints, null)).toEqual([]);
  expect(loadColor(0).getHexString()).not.toBe(loadColor(1).getHexString());
});

it("charts energies from the start on", () => {
  const row = {
    gap: 0,
    force: 0,
    efforts: new Float64Array(1),
    q: new Float64Array(1),
    work: 0,
    reactions: null,
    transmitted: null,
    signals: { table: [], numbers: new Float64Array() },
  };
  const rows = [
    { ...row, time: 0, kinetic: 0, potential: 5 },
    { ...row, time: 1, kinetic: 2, potential: 3 },
  ];
  const { times, curves } = liveSeries("energy", rows, { joints: [] } as unknown as ModelData);
  expect(times).toEqual([0, 1]);
  expect(curves.map((curve) => curve.values)).toEqual([
    [0, 2],
    [0, -2],
    [0, 0],
  ]);
});

it("charts what the chosen joint gives and bears, once it is reported", () => {
  const joint = { name: "elbow", nv: 1, v: 0, child: 2, is_cut: false };
  const data = {
    joints: [
      { ...joint, name: "waist", child: 1, variables: [] },
      { ...joint, v: 1, variables: [{ name: "theta", motor: true, quantity: "angle" }] },
    ],
  } as unknown as ModelData;
  const row = {
    ...{ gap: 0, force: 0, q: new Float64Array(2), work: 0, kinetic: 0, potential: 0 },
    transmitted: null,
    signals: { table: [], numbers: new Float64Array() },
  };
  const reactions = Float64Array.of(0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, 2);
  const rows = [
    { ...row, time: 0, efforts: Float64Array.of(0, 7), reactions: null },
    { ...row, time: 1, efforts: Float64Array.of(0, 8), reactions },
  ];
  const { times, curves } = liveSeries("joint", rows, data, 1);
  expect(times).toEqual([1]);
  expect(curves.map(({ label, unit, values }) => [label, unit, values[0]])).toEqual([
    ["force", "N", 5],
    ["force x", "N", 3],
    ["force y", "N", 4],
    ["force z", "N", 0],
    ["moment", "N m", 2],
    ["motor", "N m", 8],
  ]);
  expect(chosenJoint({ kind: "link", index: 2 }, data)).toBe(1);
  expect(chosenJoint(null, data)).toBe(0);
});

it("charts what couplings transmit, once it is reported", () => {
  const data = {
    couplings: [
      { name: "mesh", kind: "gears", members: ["sun", "planet"], joints: [0, 1], is_length: false },
      { name: "line", kind: "rack", members: ["load", "drum"], joints: [2, 0], is_length: true },
    ],
  } as unknown as ModelData;
  const row = {
    ...{ gap: 0, force: 0, q: new Float64Array(3), work: 0, kinetic: 0, potential: 0 },
    ...{ efforts: new Float64Array(3), reactions: null },
    signals: { table: [], numbers: new Float64Array() },
  };
  const rows = [
    { ...row, time: 0, transmitted: null },
    { ...row, time: 1, transmitted: Float64Array.of(-2, 20) },
  ];
  const { times, curves } = liveSeries("couplings", rows, data);
  expect(times).toEqual([1]);
  expect(curves.map(({ label, unit, values }) => [label, unit, values[0]])).toEqual([
    ["mesh on sun", "N m", -2],
    ["line on load", "N", 20],
  ]);
});

it("charts the signals that were chosen, vectors by their numbers", () => {
  const entry = { unit: "m", writer: "s", override: "" };
  const table = [
    { ...entry, name: "a.distance", size: 1 },
    { ...entry, name: "b.position", size: 2 },
  ];
  const row = (time: number) =>
    ({ time, signals: { table, numbers: Float64Array.of(time, 10, 20) } }) as unknown as LiveRow;
  const data = { joints: [] } as unknown as ModelData;
  const { curves } = liveSeries("signals", [row(0), row(1)], data, 0, new Set(["b.position"]));
  expect(curves).toEqual([
    { label: "b.position 1", unit: "m", color: 0, values: [10, 10] },
    { label: "b.position 2", unit: "m", color: 1, values: [20, 20] },
  ]);
});
