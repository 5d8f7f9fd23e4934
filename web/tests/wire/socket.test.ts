import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { SCHEMA, type ToPage } from "../../src/wire/messages.ts";
import { packPose, unpackPose } from "../../src/wire/pose-frame.ts";
import { Cancelled, NOT_CONNECTED } from "../../src/wire/answers.ts";
import { Connection, type ConnectionOptions } from "../../src/wire/socket.ts";
import { FakeSocket, FakeStore } from "./fake-socket.ts";

let sockets: FakeSocket[];
let heard: { states: string[]; messages: ToPage[]; poses: Float64Array[]; refused: string[] };

function connect(options: Partial<ConnectionOptions> = {}): Connection {
  const connection = new Connection(
    {
      url: "ws://here",
      makeSocket: (url) => {
        sockets.push(new FakeSocket(url));
        return sockets[sockets.length - 1];
      },
      ...options,
    },
    {
      onState: (state) => heard.states.push(state),
      onWelcome: (message) => heard.messages.push(message),
      onMessage: (message) => heard.messages.push(message),
      onPose: ({ q }) => heard.poses.push(q),
      onRefused: (message) => heard.refused.push(message),
    },
  );
  connection.start();
  return connection;
}

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  heard = { states: [], messages: [], poses: [], refused: [] };
});
afterEach(() => vi.useRealTimers());

it("answers requests by number, in any order", async () => {
  const connection = connect();
  sockets[0].welcome();
  expect(heard.states).toEqual(["open"]);
  const first = connection.request({ kind: "undo" });
  const second = connection.request({ kind: "edit_text", text: "a" });
  const numbers = sockets[0].sent.slice(1).map((one) => (one as { request: number }).request);
  sockets[0].say({ kind: "done", request: numbers[1], result: { ok: 1 } });
  sockets[0].say({
    kind: "refused",
    request: numbers[0],
    message: "there is nothing to undo",
    conflict: null,
  });
  await expect(second.promise).resolves.toEqual({ ok: 1 });
  await expect(first.promise).rejects.toThrow("there is nothing to undo");
});

it("cancels a request and notifies the studio", async () => {
  const connection = connect();
  sockets[0].welcome();
  const work = connection.request({ kind: "modes", q: [] });
  work.cancel();
  await expect(work.promise).rejects.toThrow(Cancelled);
  expect(sockets[0].of("cancel")).toEqual([{ kind: "cancel", request: work.request }]);
  // an answer that comes all the same is nobody's
  sockets[0].say({ kind: "done", request: work.request, result: null });
});

it("keeps its session over a lost connection, with growing patience", async () => {
  const store = new FakeStore();
  const connection = connect({ store, open: "stewart" });
  sockets[0].open();
  expect(sockets[0].sent[0]).toEqual({
    kind: "hello", schema: SCHEMA, session: null, secret: null, recover: null, open: "stewart",
  }); // prettier-ignore
  sockets[0].welcome("s7", "abc");
  const pending = connection.request({ kind: "redo" });
  sockets[0].drop();
  await expect(pending.promise).rejects.toThrow("lost before it answered");
  expect(heard.states).toEqual(["open", "lost"]);
  await expect(connection.request({ kind: "undo" }).promise).rejects.toThrow(NOT_CONNECTED);
  const waits: number[] = [];
  for (let i = 1; i <= 4; ++i) {
    const before = Date.now();
    while (sockets.length === i) vi.advanceTimersByTime(10);
    waits.push(Date.now() - before);
    if (i < 4) sockets[i].drop();
  }
  expect(waits[3]).toBeGreaterThan(2 * waits[0]);
  sockets[4].open();
  expect(sockets[4].sent[0]).toMatchObject({ session: "s7", secret: "abc", open: null });
  sockets[4].welcome("s7", "abc");
  expect(heard.states.at(-1)).toBe("open");
});

it("goes on after a reload of the same tab, and watches without a secret", () => {
  const store = new FakeStore();
  connect({ store });
  sockets[0].welcome("s7", "abc");
  connect({ store });
  sockets[1].open();
  expect(sockets[1].sent[0]).toMatchObject({ session: "s7", secret: "abc" });
  connect({ store, watch: "s9" });
  sockets[2].open();
  expect(sockets[2].sent[0]).toMatchObject({ session: "s9", secret: null });
  sockets[2].welcome("s9", null, true);
  // watching another session leaves one's own alone
  connect({ store });
  sockets[3].open();
  expect(sockets[3].sent[0]).toMatchObject({ session: "s7", secret: "abc" });
});

it("says when the studio does not let it in any more, and comes back when it does", async () => {
  let isKnown = true;
  connect({ store: new FakeStore(), isKnown: () => Promise.resolve(isKnown) });
  sockets[0].welcome("s7", "abc");
  sockets[0].drop();
  isKnown = false;
  for (let i = 1; i <= 2; ++i) {
    while (sockets.length === i) vi.advanceTimersByTime(10);
    sockets[i].drop();
    await vi.waitFor(() => expect(heard.states.at(-1)).toBe("shut"));
  }
  while (sockets.length === 3) vi.advanceTimersByTime(10);
  sockets[3].welcome("s7", "abc");
  expect(heard.states.at(-1)).toBe("open");
  // one that is only gone is lost
  isKnown = true;
  sockets[3].drop();
  while (sockets.length === 4) vi.advanceTimersByTime(10);
  sockets[4].drop();
  await Promise.resolve();
  expect(heard.states.at(-1)).toBe("lost");
});

it("sends poses at most 30 times a second, and the last one always", () => {
  const connection = connect();
  sockets[0].welcome();
  for (let i = 0; i < 1000; ++i) {
    connection.sendPose(Float64Array.of(i, 2), 5);
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(100);
  const frames = sockets[0].frames.map((frame) => unpackPose(frame)!);
  expect(frames.length).toBeLessThanOrEqual(31);
  expect(frames.length).toBeGreaterThan(25);
  expect(frames.at(-1)!.q[0]).toBe(999);
  expect(frames.at(-1)!.version).toBe(5);
  frames.forEach((frame, i) => expect(frame.sequence).toBe(i + 1));
  connection.sendPose(Float64Array.of(-1, 0), 5, true);
  expect(unpackPose(sockets[0].frames.at(-1)!)!.q[0]).toBe(-1);
});

it("does not pile poses up on a slow connection", () => {
  const connection = connect();
  sockets[0].welcome();
  sockets[0].bufferedAmount = 1 << 20;
  for (let i = 0; i < 100; ++i) connection.sendPose(Float64Array.of(i), 1, true);
  vi.advanceTimersByTime(500);
  expect(sockets[0].frames).toHaveLength(0);
  sockets[0].bufferedAmount = 0;
  vi.advanceTimersByTime(100);
  expect(sockets[0].frames).toHaveLength(1);
  expect(unpackPose(sockets[0].frames[0])!.q[0]).toBe(99);
});

it("hears poses, snapshots and notices, and ignores garbage", () => {
  connect();
  sockets[0].welcome();
  sockets[0].say("not json");
  sockets[0].say(new ArrayBuffer(3));
  sockets[0].say(packPose({ sequence: 1, version: 1, q: Float64Array.of(1, 2, 3) }));
  sockets[0].say({ kind: "notice", level: "info", message: "hello" });
  expect(heard.poses).toEqual([Float64Array.of(1, 2, 3)]);
  expect(heard.messages.map((one) => one.kind)).toEqual(["welcome", "notice"]);
});

it("packs poses as Python unpacks them", () => {
  const frame = packPose({ sequence: 7, version: 3, q: Float64Array.of(0.5) });
  expect([...new Uint8Array(frame)]).toEqual([
    1, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f,
  ]);
  expect(unpackPose(packPose({ sequence: 1, version: 1, q: Float64Array.of(NaN) }))).toBeNull();
});

it("is quiet after it was closed", () => {
  const connection = connect();
  sockets[0].welcome();
  connection.close();
  vi.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(1);
});

it("does not come back to a session that is gone, and says why", () => {
  connect({ watch: "gone" });
  sockets[0].open();
  sockets[0].say({
    kind: "refused",
    request: 0,
    message: "this session is not open any more",
    conflict: null,
  });
  sockets[0].drop(4404);
  vi.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(1);
  expect(heard.refused).toEqual(["this session is not open any more"]);
  expect(heard.states).toEqual(["lost"]);
});
