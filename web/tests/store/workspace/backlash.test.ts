import { beforeAll, expect, it, vi } from "vitest";

import { suitable } from "../../../src/store/workspace/backlash.ts";
import { Studio } from "../../../src/store/studio.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

let given: Fixtures;
beforeAll(async () => {
  given = await fixtures("five-bar-spatial", "stewart");
});

it("a cloud is drawn as large as can be seen, in round steps", () => {
  expect(suitable(0.003, 1)).toBe(20);
  expect(suitable(0.0001, 1)).toBe(1000);
  expect(suitable(0.5, 1)).toBe(1);
  expect(suitable(0, 1)).toBe(1);
});

it("every joint that turns may have backlash, balls among them", () => {
  const studio = new Studio({ kernels: given.kernels });
  studio.takeSnapshot(snapshotOf(given.models["five-bar-spatial"].data));
  expect(studio.backlash.joints).toEqual(studio.model!.data.joints.map((joint) => joint.name));
  expect(studio.backlash.slides).toBe(false);
  studio.takeSnapshot(snapshotOf(given.models.stewart.data, { version: 2 }));
  expect(studio.backlash.slides).toBe(true);
});

it("asks with the backlash of each joint, and is for another pose when it moves", async () => {
  const studio = new Studio({ kernels: given.kernels });
  studio.takeSnapshot(snapshotOf(given.models["five-bar-spatial"].data));
  const answer = {
    frame: "handle", at: [0, 0, 0], points: 1, lower: [0, 0, 0], upper: [0, 0, 0],
    bound: [0, 0, 0], turn: [0, 0, 0], worst: 0.001, worst_q: [], shares: [], seconds: 0.1,
  }; // prettier-ignore
  const ask = vi
    .spyOn(studio, "ask")
    .mockReturnValue({ promise: Promise.resolve(answer), cancel: () => undefined } as never);
  const [first] = studio.backlash.joints;
  studio.backlash.set({ own: { [first]: 0.5 }, length: 1e-4 });
  await studio.backlash.run("handle");
  const request = ask.mock.calls[0][1] as { joints: Record<string, number>; length: number };
  expect(request.joints[first]).toBe(0.5);
  expect(request.joints[studio.backlash.joints[1]]).toBeCloseTo(Math.PI / 180);
  expect(request.length).toBe(1e-4);
  expect(studio.backlash.moved).toBe(false);
  studio.setPose(studio.q, "set");
  expect(studio.backlash.moved).toBe(true);
});
