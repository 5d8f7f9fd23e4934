// The live avatar: one frame after the other, troubles in words, what the others receive.
import { expect, test } from "vitest";
import type { HullAnswer, HullQuestion } from "../../../src/kernel/hull/service.ts";
import type { HullWorker } from "../../../src/kernel/hull/sculptor.ts";
import { troubleOf } from "../../../src/interact/cameras/webcams.ts";
import { LiveAvatar } from "../../../src/store/avatar/avatar.ts";
import { FolderSource } from "../../../src/store/avatar/folder-source.ts";
import { placed } from "../../../src/store/avatar/placement.ts";
import type { ImageSource } from "../../../src/store/avatar/source.ts";
import { unpackBody } from "../../../src/wire/body-frame.ts";

const CAMERA = {
  ...{ name: "front", width: 2, height: 2, focal: [1, 1], centre: [1, 1] },
  pose: [1, 0, 0, 0, 1, 0, 0, 0, 1, -3, 0, 0],
} as const;
const TRIANGLE = {
  vertices: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
  colors: new Uint8Array(9),
  triangles: Uint32Array.of(0, 1, 2),
};
const HULL = { ...TRIANGLE, normals: new Float32Array(9), volume: 0.02, touchesBox: false };

function bench(answer: Partial<HullAnswer> = {}, people = 1) {
  const asked: HullQuestion[] = [];
  const frames: ArrayBuffer[] = [];
  const waits: (() => void)[] = [];
  const said = { count: 0 };
  let time = 0;
  const worker: HullWorker = {
    ...{ onmessage: null, onerror: null, terminate: () => undefined },
    postMessage(question) {
      asked.push(question);
      const coarse = question.coarse ? TRIANGLE : null;
      const full = { id: question.id, hull: HULL, coarse, preview: null, shares: [0.3], took: 5 };
      const data = { ...full, error: "", ...answer } as HullAnswer;
      this.onmessage!({ data } as MessageEvent<HullAnswer>);
    },
  };
  const world = { simulation: { isOn: false }, snapshot: { world: {} } };
  const heard = new Map<string, () => void>();
  const host = {
    ...world,
    on: (name: string, call: () => void) => (heard.set(name, call), () => undefined),
    emit: () => (said.count += 1),
    watchers: { count: people },
    link: { sendFrame: (frame: ArrayBuffer) => (frames.push(frame), true) },
    kernels: { module: {}, has: () => true },
  } as unknown as ConstructorParameters<typeof LiveAvatar>[0];
  const avatar = new LiveAvatar(host, () => worker, () => time, () => new Promise<void>((go) => waits.push(go))); // prettier-ignore
  const step = async (ms = 50): Promise<void> => {
    time += ms;
    waits.splice(0).forEach((go) => go());
    for (let i = 0; i < 20; ++i) await Promise.resolve();
  };
  const run = (isOn: boolean): void => {
    world.simulation.isOn = isOn;
    heard.get("simulation")!();
  };
  return { avatar, asked, frames, step, said, run };
}

function source(change: Partial<ImageSource> = {}): ImageSource & { changed: boolean } {
  const one: ImageSource & { changed: boolean } = {
    changed: true,
    ...{ cameras: [CAMERA], backgrounds: [], isLinear: false, isReady: true, isInScene: false },
    ...{ box: null, trouble: "", close: () => undefined },
    take: async (again: boolean) => (again || one.changed ? [new Uint8Array(16)] : null),
    ...change,
  } as ImageSource & { changed: boolean };
  return one;
}

test("frames follow each other while the source changes, and rest when it does not", async () => {
  const { avatar, asked, step } = bench();
  const given = source();
  avatar.start("virtual", given);
  for (let i = 0; i < 5; ++i) await step(100);
  expect(asked.length).toBeGreaterThan(3);
  expect(avatar.rate).toBeCloseTo(10, 9);
  given.changed = false;
  await step();
  const { count } = avatar;
  await step();
  expect([avatar.count, avatar.rate]).toEqual([count, 0]);
  avatar.change({ resolution: 96 });
  await step();
  expect(asked.at(-1)!.resolution).toBe(96);
  avatar.stop();
  await step();
  expect([avatar.isOn, avatar.hull]).toEqual([false, null]);
});

test.each([
  [{ shares: [0] }, {}, "No camera sees a body"],
  [{ shares: [0.95] }, {}, "capture the background again"],
  [{ hull: { ...HULL, touchesBox: true } }, {}, "touches the box"],
  [{ hull: { ...HULL, triangles: new Uint32Array(0) } }, {}, "inside all silhouettes"],
  [{ error: "the kernels cannot carve this", hull: null }, {}, "cannot carve"],
  [{}, { trouble: "'Cam' sends no pictures any more" }, "'Cam'"],
  [{ shares: [0, 0.2] }, { cameras: [CAMERA, { ...CAMERA, name: "left" }] }, "seen by front"],
])("says what is wrong: %#", async (answer, given, words) => {
  const { avatar, step } = bench(answer as Partial<HullAnswer>);
  avatar.start("virtual", source(given as Partial<ImageSource>));
  await step();
  expect(avatar.troubles.join()).toContain(words);
});

test("a camera that stops sending is reported though no picture comes", async () => {
  const { avatar, step, said } = bench();
  const given = source();
  avatar.start("webcams", given);
  await step();
  given.changed = false;
  await step();
  Object.assign(given, { trouble: "'Cam' sends no pictures any more" });
  const before = said.count;
  await step();
  expect(said.count).toBe(before + 1);
  await step();
  expect(said.count).toBe(before + 1);
});

test("a source that fails ends the avatar with its words", async () => {
  const { avatar, step } = bench();
  avatar.start("files", source({ take: () => Promise.reject(new Error("no such picture")) }));
  await step();
  expect([avatar.isOn, avatar.troubles]).toEqual([false, ["no such picture"]]);
});

test("others get a coarse body where it is shown, five times a second, and its end", async () => {
  const { avatar, frames, step } = bench({}, 2);
  avatar.change({ placement: { place: [5, 0, 0], turn: Math.PI / 2, scale: 2 } });
  avatar.start("virtual", source());
  for (let i = 0; i < 20; ++i) await step(50);
  expect(frames.length).toBeGreaterThanOrEqual(4);
  expect(frames.length).toBeLessThanOrEqual(6);
  const { body } = unpackBody(frames[0])!;
  expect(Array.from(body!.vertices).map((x) => Number(x.toFixed(3)))).toEqual([5, 0, 0, 5, 2, 0, 3, 0, 0]); // prettier-ignore
  avatar.change({ isShared: false });
  expect(unpackBody(frames.at(-1)!)!.body).toBeNull();
  const { length } = frames;
  await step(500);
  expect(frames).toHaveLength(length);
});

test("nobody is sent anything by one who is alone", async () => {
  const { avatar, frames, step } = bench({}, 1);
  avatar.start("virtual", source());
  for (let i = 0; i < 10; ++i) await step(100);
  expect(frames).toEqual([]);
});

test("a world that runs gets it though nobody else is here, also when nobody moves", async () => {
  const { avatar, frames, step, run } = bench({}, 1);
  const given = source();
  avatar.start("webcams", given);
  await step(300);
  given.changed = false;
  await step(300);
  expect(frames).toEqual([]);
  run(true);
  await step(300);
  expect(frames).toHaveLength(1);
  expect(unpackBody(frames[0])!.body!.triangles).toHaveLength(3);
  // whatever else is heard of the simulation is no reason to carve again
  run(true);
  await step(300);
  expect(frames).toHaveLength(1);
  run(false);
  given.changed = true;
  await step(300);
  expect(frames).toHaveLength(1);
  run(true);
  avatar.change({ isShared: false });
  await step(300);
  expect(unpackBody(frames.at(-1)!)!.body).toBeNull();
});

test("pictures of files play in a loop and are fetched once", async () => {
  let time = 0;
  const asked: number[] = [];
  const studio = {
    ask: (_: string, { frame }: { frame: number }, onPiece: (piece: object) => void) => {
      asked.push(frame);
      onPiece({ head: { camera: 0 }, data: new DataView(Uint8Array.of(frame, 2, 3, 4).buffer) });
      return { promise: Promise.resolve({ name: "" }) };
    },
  } as unknown as ConstructorParameters<typeof FolderSource>[0];
  const data = { cameras: [CAMERA], lower: [0, 0, 0], upper: [1, 1, 1], threshold: 30, frames: 2, trouble: "" }; // prettier-ignore
  const folder = new FolderSource(studio, "c.yaml", data as never, 10, () => time);
  const seen: (number | null)[] = [];
  for (time = 0; time < 400; time += 50) seen.push((await folder.take(false))?.[0][0] ?? null);
  expect(seen).toEqual([0, null, 1, null, 0, null, 1, null]);
  expect(asked).toEqual([0, 1]);
  expect((await folder.take(true))?.[0]).toHaveLength(4);
  const none = { ...data, frames: 0, trouble: "camera 'front' has no 'images'" };
  expect(() => new FolderSource(studio, "c.yaml", none as never)).toThrow("'front'");
});

test("refusals of the browser are explained", () => {
  const named = (name: string): Error => Object.assign(new Error("x"), { name });
  expect(troubleOf(named("NotAllowedError"), "'Cam'")).toContain("does not allow 'Cam'");
  expect(troubleOf(named("NotFoundError"), "'Cam'")).toContain("'Cam' was not found");
  expect(troubleOf(named("NotReadableError"), "'Cam'")).toContain("another program");
  expect(troubleOf(new Error("odd"), "'Cam'")).toContain("odd");
});

test("placing turns about z, scales and moves", () => {
  const out = placed(Float32Array.of(1, 0, 1), { place: [1, 2, 3], turn: Math.PI / 2, scale: 2 });
  expect(Array.from(out).map((x) => Number(x.toFixed(6)))).toEqual([1, 4, 5]);
});
