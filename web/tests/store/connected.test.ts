import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";

import { placeOf, poseAt } from "../../src/kernel/spatial.ts";
import { Studio } from "../../src/store/studio.ts";
import { unpackPose } from "../../src/wire/pose-frame.ts";
import { NOT_CONNECTED } from "../../src/wire/answers.ts";
import { packPose } from "../../src/wire/pose-frame.ts";
import { type Fixtures, fixtures, snapshotOf } from "../fixtures.ts";
import { FakeSocket, FakeStore } from "../wire/fake-socket.ts";

let given: Fixtures;
let sockets: FakeSocket[];
let now = 0;
beforeAll(async () => {
  given = await fixtures("five-bar", "four-bar");
});
beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
});
afterEach(() => vi.useRealTimers());

function connected(isReadOnly = false): Studio {
  const studio = new Studio({
    kernels: given.kernels,
    clock: () => now,
    connection: {
      url: "ws://here",
      store: new FakeStore(),
      makeSocket: (url) => {
        sockets.push(new FakeSocket(url));
        return sockets[sockets.length - 1];
      },
    },
  });
  sockets[0].welcome("s1", isReadOnly ? null : "secret", isReadOnly);
  sockets[0].say(snapshotOf(given.models["five-bar"].data));
  return studio;
}
function drag(studio: Studio, by: number): void {
  const site = studio.model!.siteCount - 1;
  const at = placeOf(poseAt(studio.poses, site));
  const grab = studio.grab({ site, kind: "point" });
  grab.move({ position: [at[0] + by, at[1], at[2]] });
  for (let i = 0; i < 5; ++i) studio.tick((now += 1 / 60));
  grab.release("keep");
}

it("reports poses while dragging and makes the end a step of undo", () => {
  const studio = connected();
  expect(studio.connection).toBe("open");
  drag(studio, 0.01);
  vi.advanceTimersByTime(100);
  const frames = sockets[0].frames.map((frame) => unpackPose(frame)!);
  expect(frames.length).toBeGreaterThan(1);
  expect(frames.at(-1)!.q).toEqual(studio.q);
  const [commit] = sockets[0].of("commit_pose");
  expect(commit.q).toEqual(Array.from(studio.q));
  expect(commit.label).toContain("Drag");
});

it("continues without the studio and sends it the mechanism's pose afterwards", async () => {
  const studio = connected();
  const states: string[] = [];
  studio.on("connection", (state) => states.push(state));
  sockets[0].drop();
  const before = studio.q.slice();
  drag(studio, 0.01);
  expect(studio.q).not.toEqual(before);
  const moved = studio.q.slice();
  await expect(studio.editText("x")).rejects.toThrow(NOT_CONNECTED);
  const parameter = studio.model!.data.parameters.find((one) => !one.formula)!;
  const value = studio.model!.reals[parameter.index] * 1.01;
  expect(studio.setParameter(parameter.name, value)).toBe(true);
  await expect(studio.commitNumbers("change")).rejects.toThrow(NOT_CONNECTED);
  expect(studio.pendingNumbers).toHaveLength(1);
  vi.advanceTimersByTime(1000);
  sockets[1].welcome();
  sockets[1].say(snapshotOf(given.models["five-bar"].data));
  expect(states).toEqual(["lost", "open"]);
  // neither the pose nor the number is lost
  expect(studio.model!.reals[parameter.index]).toBeCloseTo(value, 12);
  expect(Math.abs(studio.q[0] - moved[0])).toBeLessThan(0.2);
  expect(sockets[1].of("commit_pose")).toHaveLength(1);
  expect(sockets[1].of("set_numbers")[0].changes).toEqual([[null, parameter.name, value]]);
});

it("keeps where a run was left with the mechanism that ran, when another one is opened", () => {
  const studio = connected();
  const before = studio.q.length;
  studio.run.startUsual();
  for (let i = 0; i < 5; ++i) studio.tick((now += 1 / 30));
  sockets[0].say({ ...snapshotOf(given.models["four-bar"].data), version: 7 });
  expect(studio.q.length).not.toBe(before);
  const commits = sockets[0].of("commit_pose");
  expect(commits).toHaveLength(1);
  expect(commits[0].q).toHaveLength(before);
  expect(commits[0].version).toBeLessThan(7);
});

it("puts numbers back that the studio refuses", async () => {
  const studio = connected();
  const parameter = studio.model!.data.parameters.find((one) => !one.formula)!;
  const before = studio.model!.reals[parameter.index];
  const pose = studio.q.slice();
  studio.setParameter(parameter.name, before * 1.01);
  studio.setParameter(parameter.name, before * 1.02);
  expect(studio.q).not.toEqual(pose);
  const done = studio.commitNumbers("change");
  const [message] = sockets[0].of("set_numbers");
  sockets[0].say({
    kind: "refused",
    request: message.request,
    message: "it is another's",
    conflict: null,
  });
  await expect(done).rejects.toThrow("it is another's");
  expect(studio.model!.reals[parameter.index]).toBe(before);
  expect(studio.pendingNumbers).toHaveLength(0);
  expect(studio.model!.loopGap(studio.q)).toBeLessThan(1e-9);
  studio.q.forEach((x, i) => expect(x).toBeCloseTo(pose[i], 12));
});

it("watchers follow the pose of others", () => {
  const studio = connected(true);
  expect(studio.readOnly).toBe(true);
  const q = studio.q.map((value) => value + 0.001);
  const sources: string[] = [];
  studio.on("pose", (source) => sources.push(source));
  sockets[0].say(packPose({ sequence: 1, version: 1, q }));
  studio.tick();
  expect(studio.q).toEqual(q);
  expect(sources).toEqual(["remote"]);
  // of another version of the mechanism: not for this one
  sockets[0].say(packPose({ sequence: 2, version: 9, q: studio.q.map(() => 0) }));
  expect(studio.q).toEqual(q);
  expect(sockets[0].frames).toHaveLength(0);
});

it("uploads recordings while they are made, and what was held up by a lost connection", () => {
  const studio = connected();
  studio.startRecording("wave");
  for (let i = 0; i < 60; ++i) {
    now += 1 / 60;
    studio.setPose(studio.q.map((value) => value + 1e-4), "set"); // prettier-ignore
  }
  const parts = sockets[0].of("record_samples");
  expect(parts.length).toBeGreaterThanOrEqual(1);
  expect(parts[0]).toMatchObject({ name: "wave", start: true });
  sockets[0].drop();
  for (let i = 0; i < 60; ++i) {
    now += 1 / 60;
    studio.setPose(studio.q.slice(), "set");
  }
  vi.advanceTimersByTime(1000);
  sockets[1].welcome();
  studio.stopRecording();
  const all = [...sockets[0].of("record_samples"), ...sockets[1].of("record_samples")];
  const times = all.flatMap((part) => part.times);
  expect(times).toEqual(studio.recorder.times);
  expect(studio.recorder.times).toHaveLength(121);
  expect(all.filter((part) => part.start)).toHaveLength(1);
});

it("uploads a short recording too when nothing moves any more", () => {
  const studio = connected();
  studio.startRecording("twitch");
  now += 1 / 60;
  studio.setPose(studio.q.map((value) => value + 1e-4), "set"); // prettier-ignore
  expect(sockets[0].of("record_samples")).toHaveLength(0);
  vi.advanceTimersByTime(1000);
  expect(sockets[0].of("record_samples")).toMatchObject([{ name: "twitch", start: true }]);
  vi.advanceTimersByTime(5000);
  expect(sockets[0].of("record_samples")).toHaveLength(1);
  studio.stopRecording();
});
