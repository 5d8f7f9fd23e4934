import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";

import { PageModel } from "../../../src/kernel/page-model.ts";
import { liesFlat } from "../../../src/store/simulation/first-settings.ts";
import { Studio } from "../../../src/store/studio.ts";
import type { Simulation } from "../../../src/wire/messages.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";
import { FakeSocket, FakeStore } from "../../wire/fake-socket.ts";
import { signalValues } from "../../../src/store/simulation/signals.ts";
import { livePacket } from "../live-packet.ts";

/** An arm in an upright plane that starts stretched out level. */
const LEVEL = `raff: 1
name: level
joints:
  - {name: a, parent: base, alpha: 90 deg}
  - {name: b, parent: a, d: 300 mm}
frames: [{name: tool, parent: b, d: 200 mm}]
`;

let given: Fixtures;
let upright: Fixtures["models"][string];
let socket: FakeSocket;
let studio: Studio;
let now = 0;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "kinegen-"));
  const file = join(folder, "level.raff");
  writeFileSync(file, LEVEL);
  given = await fixtures("five-bar", "four-bar", file);
  upright = given.models[file];
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  studio = new Studio({
    kernels: given.kernels,
    clock: () => now,
    connection: {
      url: "ws://here",
      store: new FakeStore(),
      makeSocket: (url) => (socket = new FakeSocket(url)),
    },
  });
  socket.welcome();
  socket.say(snapshotOf(given.models["five-bar"].data));
});

const TABLE = [
  { name: "nose.distance", unit: "m", size: 1, writer: "nose", override: "" },
  { name: "imu.rate", unit: "rad/s", size: 3, writer: "imu", override: "cut" },
];
function state(phase: Simulation["phase"], reason = ""): void {
  const more = { settings: {}, remarks: [], objects: [], owner: 1, plan: null, unknown: "" };
  const lists = {
    signals: TABLE,
    sensors: [],
    nodes: [],
    log: null,
    doing: "",
    wires: [],
    devices: [],
  };
  socket.say({ kind: "simulation", phase, reason, ...more, ...lists });
}
/** Starts it; every order is answered at once. */
async function begin(): Promise<void> {
  const work = studio.simulation.play();
  answer();
  await work;
  state("running");
}
function answer(): void {
  const { request } = socket.orders.at(-1)!;
  socket.say({ kind: "done", request, result: null });
}
function frame(time: number, by: number): void {
  const { version } = studio.snapshot!;
  const q = Array.from(studio.q, (x) => x + by);
  const efforts = Array.from({ length: studio.model!.nv }, () => 0);
  socket.say(livePacket({ version, time, q, efforts }));
}

it("starts where the mechanism is, with a flat mechanism hung up in its plane", async () => {
  expect(liesFlat(studio.model!)).toBe(true);
  await begin();
  const [start] = socket.of("start_simulation");
  expect(start).toMatchObject({ q: Array.from(studio.q), run: true });
  expect(start.settings).toMatchObject({ engine: "reduced", gravity: [0, -9.81, 0], floor: null });
});

it("lets an upright arm fall that is stretched out level", () => {
  const model = new PageModel(given.kernels, upright.data);
  expect(model.data.planar).toBe(true);
  expect(liesFlat(model)).toBe(false);
  model.free();
});

it("keeps no pose of a mechanism that is not open any more", async () => {
  await begin();
  frame(0.1, 0.01);
  const work = studio.simulation.pause();
  socket.say(snapshotOf(given.models["four-bar"].data, { version: 2 }));
  answer();
  await work;
  expect(socket.of("commit_pose")).toHaveLength(0);
});

it("says nothing of orders to a mechanism that is not open any more", async () => {
  await begin();
  const work = studio.simulation.pause();
  const { request } = socket.orders.at(-1)!;
  socket.say(snapshotOf(given.models["four-bar"].data, { version: 2 }));
  socket.say({ kind: "refused", request, message: "the simulation was stopped", conflict: null });
  await work;
  expect(studio.simulation.error).toBeNull();
});

it("pauses when a motion is played", async () => {
  await begin();
  frame(0.1, 0.001);
  frame(0.2, 0.001);
  studio.simulation.keep();
  studio.player.play();
  expect(socket.orders.at(-1)!.kind).toBe("pause_simulation");
});

it("shows closed loops also while a length is being changed", async () => {
  await begin();
  const { index } = studio.model!.data.parameters.find(({ name }) => name === "ground")!;
  const value = studio.model!.reals[index];
  const q = Array.from(studio.q);
  expect(studio.setParameter("ground", 1.1 * value)).toBe(true);
  // the simulation still has the length of the text
  const efforts = q.map(() => 0);
  socket.say(livePacket({ version: studio.snapshot!.version, time: 0.1, q, efforts }));
  expect(studio.model!.loopGap(Float64Array.from(q))).toBeGreaterThan(1e-3);
  expect(studio.model!.loopGap(studio.q)).toBeLessThan(1e-9);
});

it("shows the poses of frames and does not send them back", async () => {
  await begin();
  const before = studio.q[0];
  frame(0.1, 0.01);
  expect(studio.q[0]).toBeCloseTo(before + 0.01);
  expect(socket.frames).toHaveLength(0);
  expect(studio.simulation.history.rows).toHaveLength(1);
});

it("pulls instead of dragging while it runs, sent once per picture", async () => {
  await begin();
  const site = studio.model!.siteCount - 1;
  const grab = studio.grab({ site, kind: "point" });
  grab.move({ position: [1, 2, 3] });
  grab.move({ position: [4, 5, 6] });
  studio.tick((now += 1 / 60));
  studio.tick((now += 1 / 60));
  expect(socket.of("touch")).toHaveLength(1);
  expect(socket.of("touch")[0]).toMatchObject({
    site: studio.model!.siteNames[site],
    target: [4, 5, 6],
    normal: null,
  });
  grab.release();
  expect(socket.of("release")).toHaveLength(1);
  expect(studio.simulation.hands.all).toHaveLength(0);
});

it("sets motor targets by sliders", async () => {
  await begin();
  studio.setVariable(0, 0, 0.7);
  expect(socket.of("set_target")[0]).toMatchObject({ joint: "A", values: [0.7] });
});

it("goes on after a pause, but begins again where the mechanism was moved", async () => {
  await begin();
  frame(0.1, 0.01);
  state("paused");
  let work = studio.simulation.play();
  answer();
  await work;
  expect(socket.orders.at(-1)!.kind).toBe("play_simulation");
  state("paused");
  studio.setVariable(0, 0, studio.q[0] + 0.2);
  const moved = studio.q.slice();
  frame(0.1, -0.1);
  expect(studio.q).toEqual(moved);
  work = studio.simulation.play();
  answer();
  await work;
  expect(socket.orders.at(-1)).toMatchObject({ kind: "start_simulation", q: Array.from(moved) });
});

it("keeps the recording when it stops by itself, in simulated time", async () => {
  await begin();
  frame(0.5, 0);
  studio.startRecording();
  frame(0.6, 0.001);
  now += 5; // slow motion: much more real time
  frame(0.7, 0.001);
  state("stopped", "the numbers ran away");
  expect(studio.recorder.recording).toBe(false);
  const { motion } = studio.player;
  expect(motion!.times.at(-1)).toBeCloseTo(0.1);
  expect(studio.simulation.state.reason).toBe("the numbers ran away");
});

it("keeps a run as a motion", async () => {
  await begin();
  for (let i = 1; i < 5; ++i) frame(0.1 * i, 0.001);
  expect(studio.simulation.keep()).toBe(true);
  expect(studio.player.motion!.times).toHaveLength(4);
  expect(studio.player.motion!.times[0]).toBe(0);
});

it("keeps how a run ended, however close its last frames are", async () => {
  await begin();
  for (const time of [0, 0.1, 0.2, 0.2001, 0.2002]) frame(time, 0.001);
  const { rows } = studio.simulation.history;
  expect(rows.map((row) => row.time)).toEqual([0, 0.1, 0.2, 0.2002]);
  expect(Array.from(rows.at(-1)!.q)).toEqual(Array.from(studio.q));
});

it("shows no forces of other lengths, another pose, or an engine that does not know them", async () => {
  const forces = (): void => {
    studio.simulation.jointForces.reactions = new Float64Array(6).fill(1);
    studio.simulation.jointForces.loadMost = 1;
  };
  const known = (): boolean => studio.simulation.jointForces.reactions !== null;
  await begin();
  frame(0.1, 0);
  forces();
  studio.setParameter("ground", 1.01 * studio.model!.parameters[0]);
  expect(known()).toBe(false);
  state("paused");
  frame(0.2, 0);
  forces();
  studio.setPose(studio.q, "set");
  expect(known()).toBe(true);
  studio.setPose(
    studio.q.map((x) => x + 0.01),
    "set",
  );
  expect(known()).toBe(false);
  forces();
  socket.say({
    ...studio.simulation.state,
    ...{ kind: "simulation", unknown: "the engine 'mujoco' does not know them" },
  });
  expect(known()).toBe(false);
  expect(studio.simulation.jointForces.loadMost).toBe(0);
});

it("says why an order was refused, and puts the setting back", async () => {
  await begin();
  const work = studio.simulation.set({ engine: "impulse" });
  const { request } = socket.orders.at(-1)!;
  socket.say({ kind: "refused", request, message: "no", conflict: null });
  await work;
  expect(studio.simulation.error).toBe("no");
  expect(studio.simulation.settings.engine).toBe("reduced");
});

it("takes back what came after an undone touch, and keeps what came before", async () => {
  await begin();
  for (let i = 1; i < 6; ++i) frame(0.1 * i, 0.001);
  frame(0.25, 0);
  const { rows } = studio.simulation.history;
  expect(rows.map((row) => Number(row.time.toFixed(2)))).toEqual([0.1, 0.2, 0.25]);
});

it("holds the whole pose where it is given a rotation", async () => {
  await begin();
  const grab = studio.grab({ site: 1, kind: "pose", quat: [1, 0, 0, 0] });
  studio.tick((now += 1 / 60));
  expect(socket.of("touch").at(-1)).toMatchObject({ quat: [1, 0, 0, 0] });
  grab.move({ quat: [0, 0, 0, 1] });
  studio.tick((now += 1 / 60));
  const [before, after] = socket.of("touch").slice(-2);
  expect(after).toMatchObject({ quat: [0, 0, 0, 1], target: before.target });
});

it("goes to the beginning of a motion that it should follow", async () => {
  const work = studio.simulation.set({ motion: "wave" });
  expect(socket.orders.at(-1)).toMatchObject({ kind: "start_simulation", run: false });
  answer();
  await work;
  state("paused");
  // its first frame moves the mechanism there, though it was elsewhere
  const before = studio.q[0];
  frame(0, 0.3);
  expect(studio.q[0]).toBeCloseTo(before + 0.3);
});

it("forces signals, releases them, and charts them with their numbers", async () => {
  await begin();
  const { signals, history } = studio.simulation;
  expect(signals.overridden.map(({ name }) => name)).toEqual(["imu.rate"]);
  signals.override("nose.distance", { kind: "force_signal", value: 0.05 });
  signals.release("nose.distance");
  signals.releaseAll();
  expect(socket.sent.slice(-3)).toEqual([
    { kind: "force_signal", name: "nose.distance", value: 0.05 },
    { kind: "release_signal", name: "nose.distance" },
    { kind: "release_signals" },
  ]);
  const { version } = studio.snapshot!;
  const q = Array.from(studio.q);
  const efforts = q.map(() => 0).slice(0, studio.model!.nv);
  socket.say(livePacket({ version, time: 0.1, q, efforts, signals: [0.7, 1, 2, 3] }));
  const { table, numbers } = history.rows.at(-1)!.signals;
  expect(signalValues(table, numbers)?.get("imu.rate")).toEqual(Float64Array.of(1, 2, 3));
  expect(signalValues(table, numbers.subarray(1))).toBeNull();
  signals.chart("nose.distance");
  expect([[...signals.charted], signals.asked]).toEqual([["nose.distance"], 1]);
  signals.chart("nose.distance");
  expect([signals.charted.size, signals.asked]).toEqual([0, 1]);
});

it("starts a world with the engine, motors and objects of its file", () => {
  const world = { engine: "impulse", step: 2e-3, sensors: ["nose"], agents: ["driver"] };
  const more = { seed: 0, engines: {}, people: [] };
  socket.say(
    snapshotOf(given.models["four-bar"].data, { version: 2, world: { ...world, ...more } }),
  );
  expect(studio.simulation.settings).toMatchObject({
    ...{ engine: "impulse", step: 2e-3, gravity: "file", objects: true },
  });
});

it("goes to a time of a world that has passed, and keeps what came later", async () => {
  const { simulation } = studio;
  await begin();
  state("running");
  const { version } = studio.snapshot!;
  const at = (time: number): void => {
    const q = Array.from(studio.q);
    const efforts = q.map(() => 0).slice(0, studio.model!.nv);
    socket.say(livePacket({ version, time, q, efforts, recorded: 0.3 }));
  };
  for (const time of [0.1, 0.2, 0.3]) at(time);
  state("paused");
  const asked = (): number[] => socket.of("go_to_time").map((one) => one.time);
  const done = Promise.all([0.25, 0.15, 0.1].map((time) => simulation.world.goTo(time)));
  expect(asked()).toEqual([0.25]);
  answer();
  await vi.waitFor(() => expect(asked().length).toBe(2));
  answer();
  await done;
  // of several the last one counts
  expect(asked()).toEqual([0.25, 0.1]);
  at(0.1);
  expect(simulation.history.rows.map(({ time }) => time)).toEqual([0.1, 0.2, 0.3]);
});

it("tells its own hands from those of others, which may have the same number", () => {
  state("running");
  const row = (client: number, force: number): number[] =>
    [1, force, 0, 0, 0, 0, 0, 9, 8, 0, 0, 0, 0, client, 0, 0, 0]; // prettier-ignore
  socket.say(livePacket({ q: [...studio.q], hands: [row(7, 30), row(1, 4)] }));
  const { simulation } = studio;
  expect(simulation.handRow(1)?.force).toEqual([4, 0, 0]);
  expect(simulation.otherHands.map(({ client }) => client)).toEqual([7]);
  // a gamepad rumbles with one's own force alone
  expect(simulation.force).toBe(4);
});

it("takes over the settings of another page's run, so that its own orders undo none of them", () => {
  const settings: Simulation["settings"] = {
    ...{ engine: "mujoco", speed: 0.5, gravity: [0, 0, -1.6], floor: 0, firmness: 4 },
  };
  socket.say({
    ...{ kind: "simulation", phase: "running", reason: "", settings, remarks: [], objects: [] },
    ...{ owner: 7, plan: null, unknown: "", signals: [], sensors: [], nodes: [], log: null },
    ...{ doing: "", wires: [], devices: [] },
  });
  expect(studio.simulation.settings).toMatchObject({
    ...{ engine: "mujoco", speed: 0.5, gravity: "own", own: [0, 0, -1.6], floor: true },
    ...{ firmness: 4, hold: false },
  });
});
