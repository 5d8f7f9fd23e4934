import { beforeAll, beforeEach, afterEach, expect, it, vi } from "vitest";

import type { Workspace } from "../../../src/store/workspace/workspace.ts";
import { Studio } from "../../../src/store/studio.ts";
import type {
  CloudPlanResult,
  FromPage,
  PieceOf,
  QuestionKind,
} from "../../../src/wire/messages.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";
import { FakeSocket, FakeStore } from "../../wire/fake-socket.ts";
import { pieceOf } from "../pieces.ts";

let given: Fixtures;
let socket: FakeSocket;
let studio: Studio;
let workspace: Workspace;
beforeAll(async () => {
  given = await fixtures("lynx6", "five-bar");
});
beforeEach(() => {
  vi.useFakeTimers();
  studio = new Studio({
    kernels: given.kernels,
    connection: {
      url: "ws://here",
      store: new FakeStore(),
      makeSocket: (url) => (socket = new FakeSocket(url)),
    },
  });
  workspace = studio.workspace;
  socket.welcome();
  socket.say(snapshotOf(given.models.lynx6.data));
});
afterEach(() => vi.useRealTimers());

const PLAN: CloudPlanResult = {
  frames: ["elbow", "tool"], ranges: [], held: [], following: [], poses: 3, points: 6, factor: 15, layer: "link",
  palettes: { safe: [[0, 0, 0]], paper: [[1, 1, 1]] },
}; // prettier-ignore

const isQuestion = (one: FromPage): one is Extract<FromPage, { kind: QuestionKind }> => "q" in one;
const questions = () => socket.sent.filter(isQuestion);
const asked = () => questions().at(-1)!;
const done = async (result: unknown): Promise<void> => {
  socket.say({ kind: "done", request: asked().request, result });
  await vi.advanceTimersByTimeAsync(0);
};
/** A piece as it comes over the wire. */
function send(head: PieceOf<QuestionKind>, data: Uint8Array = new Uint8Array(0)): void {
  let text = JSON.stringify(head);
  text += " ".repeat((8 - (text.length % 8)) % 8);
  const buffer = new ArrayBuffer(16 + text.length + data.byteLength);
  const view = new DataView(buffer);
  [2, asked().request, text.length, data.byteLength].forEach((x, i) =>
    view.setUint32(4 * i, x, true),
  );
  new Uint8Array(buffer, 16).set(new TextEncoder().encode(text));
  new Uint8Array(buffer, 16 + text.length).set(data);
  socket.say(buffer);
}
function sendPoints(xyz: number[], tags: number[], share = 1, seconds = 0.1): void {
  const { head, data } = pieceOf(xyz, tags);
  const more = { kind: "points" as const, ends: null, share, seconds };
  send({ ...head, ...more }, new Uint8Array(data.buffer));
}
function sendDetail(xyz: number[], tags: number[]): void {
  const { head, data } = pieceOf(xyz, tags);
  send(head, new Uint8Array(data.buffer));
}
async function shown(total = 6): Promise<void> {
  const run = workspace.run();
  const plan = { ...PLAN, points: total };
  send({ kind: "begin", plan, shown: 6 });
  sendPoints([0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0], [0, 1, 2, 3]);
  expect(workspace.points.count).toBe(4);
  sendPoints([4, 0, 0, 5, 0, 0], [4, 5]);
  const bounds = [[[0, 0, 0], [4, 0, 0]], [[1, 0, 0], [5, 1, 0]]]; // prettier-ignore
  await done({ plan, shown: 6, seconds: 0.1, bounds, ends: null });
  await run;
}

it("asks ahead what a run would do, once for many changes", async () => {
  workspace.setCloudSettings({ factor: 30 });
  workspace.setCloudSettings({ factor: 20, how: "grid" });
  await vi.advanceTimersByTimeAsync(500);
  expect(questions()).toHaveLength(1);
  expect(asked()).toMatchObject({ kind: "cloud_plan", cloud: { factor: 20, how: "grid" } });
  await done(PLAN);
  expect(workspace.plan?.poses).toBe(3);
});

it("asks nothing with a range that ends before it begins, and keeps the plan", async () => {
  workspace.setCloudSettings({ how: "grid" });
  await vi.advanceTimersByTimeAsync(500);
  await done(PLAN);
  const before = questions().length;
  workspace.setCloudSettings({ ranges: { shoulder: [1.5, -0.2] } });
  await vi.advanceTimersByTimeAsync(500);
  await workspace.run();
  await workspace.bodies.run();
  expect(questions()).toHaveLength(before);
  expect(workspace.reversed).toEqual(["shoulder"]);
  expect(workspace.plan?.poses).toBe(3);
  workspace.setCloudSettings({ ranges: { shoulder: [-0.2, 1.5] } });
  await vi.advanceTimersByTimeAsync(500);
  expect(asked()).toMatchObject({ cloud: { ranges: { shoulder: [-0.2, 1.5] } } });
  socket.say({
    kind: "refused",
    request: asked().request,
    message: "no such joint",
    conflict: null,
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(workspace.planError).toBe("no such joint");
  expect(workspace.plan?.poses).toBe(3);
});

it("knows how much is there when a run is stopped", async () => {
  const run = workspace.run();
  send({ kind: "begin", plan: { ...PLAN, poses: 1000, points: 2000 }, shown: 6 });
  sendPoints([0, 0, 0, 1, 0, 0], [0, 1], 0.25, 0.5);
  workspace.task.cancel();
  await run;
  expect(workspace.done).toBe(0.25);
  expect(workspace.cloud?.seconds).toBe(0.5);
  expect(workspace.points.count).toBe(2);
  await shown();
  expect(workspace.done).toBe(1);
});

it("shows points as they come", async () => {
  await shown();
  expect(workspace.points.count).toBe(6);
  expect([...workspace.points.groups]).toEqual([0, 1, 0, 1, 0, 1]);
  expect(workspace.groups).toEqual(["elbow", "tool"]);
  expect(workspace.bounds).toEqual([[0, 0, 0], [5, 1, 0]]); // prettier-ignore
  expect(workspace.firstPoints).not.toBeNull();
  expect(asked()).toMatchObject({ kind: "cloud", cloud: { home: Array.from(studio.q) } });
});

it("keeps what was there when a run fails, and says why", async () => {
  await shown();
  const run = workspace.run();
  socket.say({
    kind: "refused",
    request: asked().request,
    message: "too many poses",
    conflict: null,
  });
  await run;
  expect(workspace.task.error).toBe("too many poses");
  expect(workspace.points.count).toBe(6);
});

it("goes stale with other numbers, and away with another mechanism", async () => {
  await shown();
  expect(workspace.stale).toBe(false);
  const parameter = studio.model!.data.parameters.find((one) => !one.formula)!;
  studio.setParameter(parameter.name, studio.model!.reals[parameter.index] * 1.01);
  expect(workspace.stale).toBe(true);
  socket.say(snapshotOf(given.models["five-bar"].data, { version: 2 }));
  expect(workspace.cloud).toBeNull();
  expect(workspace.points.count).toBe(0);
  expect(workspace.stale).toBe(false);
  expect(workspace.kind).toBe("zone");
});

it("takes the mechanism to the pose of a point", async () => {
  await shown();
  const q = studio.q.map((value) => value + 0.05);
  const gone = workspace.goTo(5);
  expect(asked()).toMatchObject({ kind: "cloud_pose", pose: 2 });
  await done({ q: Array.from(q) });
  await gone;
  expect(workspace.marked).toEqual({ at: [5, 0, 0], group: 1 });
  expect(studio.isAnimating).toBe(true);
});

it("asks for more points where one looks, piece by piece", async () => {
  await shown(1000);
  const planes = Float32Array.of(1, 0, 0, -3.5);
  workspace.detail.look(planes, 3);
  expect(asked().kind).toBe("cloud_detail");
  expect(asked()).toMatchObject({ planes: [[1, 0, 0, -3.5]], first: 0, most: 3 });
  sendDetail([4, 0, 0, 5, 0, 0], [4, 5]);
  expect(workspace.detail.planes).toBe(planes);
  await done({ next: 7, sent: 2 });
  expect(asked()).toMatchObject({ first: 7, most: 1 });
  sendDetail([6, 0, 0], [99]);
  await done({ next: 9, sent: 1 });
  expect(workspace.detail.points.count).toBe(3);
  expect(workspace.detail.busy).toBe(false);
});

it("does not look closer where all is seen, and drops what no longer matters", async () => {
  await shown(1000);
  const before = questions().length;
  workspace.detail.look(Float32Array.of(1, 0, 0, 100));
  await vi.advanceTimersByTimeAsync(0);
  expect(questions()).toHaveLength(before);
  workspace.detail.look(Float32Array.of(1, 0, 0, -3.5));
  expect(questions()).toHaveLength(before + 1);
  workspace.detail.leave();
  sendDetail([4, 0, 0], [4]);
  expect(workspace.detail.planes).toBeNull();
  await done({ next: 5, sent: 1 });
  expect(questions()).toHaveLength(before + 1);
});

it("compares the body with the one that was kept", async () => {
  const { bodies } = workspace;
  const grid = { first: [0, 0, 0], shape: [2, 2, 2], cell: 0.5, outside: 0.5, origin: [0, 0, 0] };
  const answer = { grid, axes: [], lift: [0, 0, 0], measure: {}, pieces: 1, comparison: null };
  const make = async (result: object): Promise<void> => {
    const run = bodies.run();
    send({ kind: "surface", vertices: 3, faces: 1, sides: 3 }, new Uint8Array(36 + 12));
    send({ kind: "cells" }, Uint8Array.of(255));
    await done(result);
    await run;
  };
  await make(answer);
  expect(asked()).toMatchObject({ kind: "cloud_body", detail: "normal", against: null });
  expect(bodies.body?.faces).toHaveLength(3);
  bodies.keep();
  await make({ ...answer, comparison: { both: 1, only_first: 0, only_second: 1, overlap: 0.5 } });
  expect(asked()).toMatchObject({ against: { grid: { cell: 0.5 }, bits: btoa("\xff") } });
  expect(bodies.body?.comparison?.overlap).toBe(0.5);
  expect(bodies.kept).not.toBe(bodies.body);
  bodies.drop();
  expect(bodies.body?.comparison).toBeNull();
});
