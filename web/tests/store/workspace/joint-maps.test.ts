import { beforeAll, beforeEach, expect, it, vi } from "vitest";

import {
  along,
  OUT_OF_LIMITS,
  OUT_OF_REACH,
  placeIndex,
  placeOf,
  REACHED,
  statesOf,
} from "../../../src/store/workspace/joint-maps.ts";
import { Studio } from "../../../src/store/studio.ts";
import type { Piece } from "../../../src/wire/piece-frame.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

let given: Fixtures;
let studio: Studio;
beforeAll(async () => {
  given = await fixtures("lynx6", "five-bar");
});
beforeEach(() => {
  studio = new Studio({ kernels: given.kernels });
  studio.takeSnapshot(snapshotOf(given.models.lynx6.data));
});

const ABOUT = {
  frame: "tool",
  holds: ["wrist"],
  text: "",
  wrist_angle: -0.5,
  dof: 3,
  box: { x: [0, 1, 2], y: [0, 1, 1], z: [0, 1, 3] },
};

/** Answers as the studio does: two places reached, one of them out of the elbow's range. */
function answering(): void {
  const { nq } = studio.model!;
  vi.spyOn(studio, "ask").mockImplementation(((
    what: string,
    _fields: unknown,
    onPiece?: (piece: Piece) => void,
  ) => {
    if (what === "map_proposal")
      return { promise: Promise.resolve(ABOUT), cancel: () => undefined };
    const qs = new Float64Array(nq * 6).fill(NaN);
    for (let k = 0; k < nq; k++) qs[6 * k + 1] = qs[6 * k + 4] = studio.q[k] + 0.01;
    const lamps = new Uint8Array(nq * 6);
    lamps[2 * 6 + 4] = 1;
    const send = (head: Piece["head"], data: ArrayBuffer) =>
      onPiece?.({ request: 1, head, data: new DataView(data) });
    send({ kind: "values", branch: 0 }, qs.buffer);
    send({ kind: "lamps", branch: 0 }, lamps.buffer);
    send({ kind: "beyond" }, new Float32Array(6).buffer);
    const answer = {
      frame: "tool",
      joints: [],
      shape: [2, 1, 3],
      axes: [[0, 1], [0.5], [0, 0.5, 1]],
      branches: [{ name: "front", reached: 2, within: 1 }],
      present: 0,
      seconds: 0.1,
    };
    return { promise: Promise.resolve(answer), cancel: () => undefined };
  }) as Studio["ask"]);
}

it("knows how a branch gets to each place", async () => {
  answering();
  await studio.maps.look(null);
  expect(studio.maps.hold).toBe("wrist");
  expect(studio.maps.wristAngle).toBe(-0.5);
  await studio.maps.run();
  const { result } = studio.maps;
  expect([...result!.branches[0].states]).toEqual([
    OUT_OF_REACH, REACHED, OUT_OF_REACH, OUT_OF_REACH, OUT_OF_LIMITS, OUT_OF_REACH,
  ]); // prettier-ignore
  expect(result!.beyond).toHaveLength(6);
});

it("goes to a place, but not where the branch does not get", async () => {
  answering();
  await studio.maps.look(null);
  await studio.maps.run();
  expect(studio.maps.go(0)).toBe(false);
  const move = vi.spyOn(studio, "moveTo").mockReturnValue(true);
  expect(studio.maps.go(1)).toBe(true);
  expect(move.mock.calls[0][0][0]).toBeCloseTo(studio.q[0] + 0.01, 12);
});

it("grows old with the numbers, and vanishes with the mechanism", async () => {
  answering();
  await studio.maps.look(null);
  await studio.maps.run();
  expect(studio.maps.stale).toBe(false);
  studio.emit("numbers", studio.model!);
  expect(studio.maps.stale).toBe(true);
  studio.takeSnapshot(snapshotOf(given.models["five-bar"].data, { version: 2 }));
  expect(studio.maps.result).toBeNull();
  expect(studio.maps.about).toBeNull();
});

it("says what went wrong, and not that it was stopped", async () => {
  answering();
  await studio.maps.look(null);
  const fail = Promise.reject(new Error("'tool' reaches no place of the box"));
  vi.spyOn(studio, "ask").mockReturnValue({ promise: fail, cancel: () => undefined });
  await studio.maps.run();
  expect(studio.maps.task.error).toContain("reaches no place");
  expect(studio.maps.task.busy).toBe(false);
});

it("places by index: z is fastest", () => {
  const shape = [2, 3, 4];
  expect(placeIndex(shape, [1, 2, 3])).toBe(23);
  expect(along(shape, [1, 0, 2], 1)).toEqual([14, 18, 22]);
  const axes: [number[], number[], number[]] = [
    [0, 1],
    [0, 2, 4],
    [5, 6, 7, 8],
  ];
  const result = { shape: [2, 3, 4], axes } as unknown as Parameters<typeof placeOf>[0];
  expect(placeOf(result, 22)).toEqual([1, 4, 7]);
});

it("a place without lamps is reached", () => {
  const states = statesOf(Float64Array.of(0, NaN), Uint8Array.of(0, 0), 2);
  expect([...states]).toEqual([REACHED, OUT_OF_REACH]);
});
