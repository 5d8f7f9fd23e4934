import { beforeAll, expect, it, vi } from "vitest";

import {
  better,
  CLICKED,
  type FoundDesign,
  isRound,
  rangeOf,
  rowsOf,
} from "../../../src/store/design/data.ts";
import { Studio } from "../../../src/store/studio.ts";
import type { Piece } from "../../../src/wire/piece-frame.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

let given: Fixtures;
beforeAll(async () => {
  given = await fixtures("four-bar", "five-bar");
});

const design = (change: Partial<FoundDesign>): FoundDesign => ({
  start: 0,
  parameters: {},
  error: 0,
  worst: 0,
  share: 0,
  connected: true,
  clearance: null,
  motion: [],
  ...change,
});

const ABOUT = {
  frame: "handle",
  curves: [{ name: "ellipse", title: "Ellipse", closed: true, points: [[0, 0, 0], [1, 0, 0]] }],
  box: [[0, 0, 0], [1, 1, 0]],
  normal: [0, 0, 1],
  flat: true,
  at: [0.4, 0.4, 0],
}; // prettier-ignore

/** A studio whose search finds one design: the mechanism with a longer crank. */
async function searched(): Promise<Studio> {
  const studio = new Studio({ kernels: given.kernels });
  studio.takeSnapshot(snapshotOf(given.models["four-bar"].data));
  vi.spyOn(studio, "ask").mockImplementation(((
    what: string,
    _fields: unknown,
    onPiece?: (piece: Piece) => void,
  ) => {
    const done = (answer: unknown) => ({ promise: Promise.resolve(answer), cancel: () => {} });
    if (what === "design_goals") return done(ABOUT);
    const motion = new Float64Array([...studio.q, ...studio.q]);
    const send = (head: Piece["head"], data: ArrayBuffer) =>
      onPiece?.({ request: 1, head, data: new DataView(data) });
    send({ kind: "step", step: 1, start: 0, best: 0.1 }, new ArrayBuffer(0));
    send({ kind: "best", parameters: { crank: 0.12 }, error: 0.1 }, motion.buffer);
    const result = design({ parameters: { crank: 0.12 }, worst: 0.001 });
    send({ ...result, kind: "design" }, motion.buffer);
    return done({ frame: "handle", starts: 1, steps: 3, extent: 1, seconds: 0.1 });
  }) as Studio["ask"]);
  await studio.designs.look(null);
  await studio.designs.run(null);
  return studio;
}

it("begins with the preferred curve of the next mechanism, however late the last answer is", async () => {
  const studio = await searched();
  const { designs } = studio;
  const other = { ...ABOUT.curves[0], name: "published", title: "Published" };
  vi.spyOn(studio, "ask").mockImplementation((() => ({
    promise: Promise.resolve({ ...ABOUT, curves: [...ABOUT.curves, other] }),
    cancel: () => {},
  })) as unknown as Studio["ask"]);
  designs.prefer = "published";
  await designs.look(null);
  expect(designs.target!.title).toBe("Ellipse");
  studio.takeSnapshot(snapshotOf(given.models["five-bar"].data));
  await designs.look(null);
  expect(designs.target!.title).toBe("Published");
  studio.takeSnapshot(snapshotOf(given.models["four-bar"].data));
  await designs.look(null);
  expect(designs.target!.title).toBe("Ellipse");
});

it("ranges: as the file says, else a third to three times", () => {
  const free = { minimum: null, maximum: null, quantity: "length" };
  expect(rangeOf(0.3, free, 1)).toEqual([0.1, 0.9]);
  expect(rangeOf(-0.3, free, 1)).toEqual([-0.9, -0.1]);
  expect(rangeOf(0, free, 0.5)).toEqual([-1, 1]);
  expect(rangeOf(0.3, { ...free, minimum: 0.2, maximum: 0.4 }, 1)).toEqual([0.2, 0.4]);
  expect(rangeOf(0.3, { ...free, quantity: "angle" }, 1)).toEqual([-Math.PI, Math.PI]);
});

it("what need not be taken apart comes first, then what is nearest", () => {
  const [a, b, c] = [
    design({ worst: 0.2 }),
    design({ worst: 0.1, connected: false }),
    design({ worst: 0.3 }),
  ];
  expect([b, c, a].sort(better)).toEqual([a, c, b]);
  // where both are met exactly, the one farther from singular poses
  const [near, far] = [
    design({ worst: 1e-16, clearance: 0.1 }),
    design({ worst: 1e-15, clearance: 0.4 }),
  ];
  expect([near, far].sort(better)).toEqual([far, near]);
});

it("sees whether a motion goes round", () => {
  const turn = Array.from({ length: 8 }, (_, i): [number, number, number] => [
    Math.cos((i * Math.PI) / 4),
    Math.sin((i * Math.PI) / 4),
    0,
  ]);
  expect(isRound(turn)).toBe(true);
  expect(isRound(turn.slice(0, 5))).toBe(false);
});

it("rows of a flat array", () => {
  expect(rowsOf(Float64Array.of(1, 2, 3, 4), 2).map((row) => [...row])).toEqual([[1, 2], [3, 4]]); // prettier-ignore
});

it("clicked points make a target of their own", async () => {
  const studio = await searched();
  expect(studio.designs.stale).toBe(false);
  studio.designs.addPoint([1, 2, 3]);
  studio.designs.addPoint([4, 5, 6]);
  expect(studio.designs.target).toEqual({
    title: CLICKED,
    points: [[1, 2, 3], [4, 5, 6]],
    closed: false,
  }); // prettier-ignore
  expect(studio.designs.stale).toBe(true);
});

it("a design is looked at without changing the mechanism", async () => {
  const studio = await searched();
  const before = [...studio.model!.parameters];
  studio.designs.show({ shown: true, hovered: studio.designs.found[0] });
  const preview = studio.designs.preview!;
  const model = studio.designs.modelOf(preview)!;
  const { index } = model.data.parameters.find((one) => one.name === "crank")!;
  expect(model.parameters[index]).toBe(0.12);
  expect([...studio.model!.parameters]).toEqual(before);
  expect(studio.designs.traceOf(preview)).toHaveLength(2);
  model.free();
});

it("a design is taken as one step, and taking it back makes nothing old", async () => {
  const studio = await searched();
  const set = vi.spyOn(studio, "setNumbers").mockResolvedValue();
  await studio.designs.adopt(studio.designs.found[0]);
  expect(set).toHaveBeenCalledExactlyOnceWith([[null, "crank", 0.12]], "apply design 1");
  expect(studio.designs.taken).toBe(studio.designs.found[0]);
  studio.setParameter("crank", 0.1); // as undo would
  expect(studio.designs.taken).toBeNull();
  expect(studio.designs.stale).toBe(false);
});

it("other numbers than the free ones make designs old", async () => {
  const studio = await searched();
  studio.designs.setFree("ground", { on: false });
  await studio.designs.run(null);
  const { data } = studio.model!;
  const { index } = data.parameters.find((one) => one.name === "ground")!;
  studio.setParameter("ground", studio.model!.parameters[index] * 1.01);
  expect(studio.designs.stale).toBe(true);
});

it("does not search a range or a box that ends before it begins", async () => {
  const studio = await searched();
  const { designs } = studio;
  const asked = vi.mocked(studio.ask).mock.calls;
  const before = asked.length;
  const { low, high } = designs.free.crank;
  designs.setFree("crank", { low: high, high: low });
  expect(designs.reversed).toEqual(["crank"]);
  await designs.run(null);
  expect(asked).toHaveLength(before);
  designs.setFree("crank", { on: false });
  expect(designs.reversed).toEqual([]);
  designs.set({ box: { x: [1, 0, 1], y: [0, 1, 1], z: [0, 0, 1] } });
  expect(designs.isBoxReversed).toBe(false);
  designs.set({ goal: "cover" });
  expect(designs.isBoxReversed).toBe(true);
  await designs.run(null);
  expect(asked).toHaveLength(before);
});
