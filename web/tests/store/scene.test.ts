import { beforeAll, beforeEach, expect, it, vi } from "vitest";

import { applyPoseBack, placeOf, poseAt } from "../../src/kernel/spatial.ts";
import { fromRpy, placement, toRpy } from "../../src/store/placement.ts";
import { Studio } from "../../src/store/studio.ts";
import type { ObjectData, Snapshot } from "../../src/wire/messages.ts";
import { type Fixtures, fixtures, snapshotOf } from "../fixtures.ts";

let given: Fixtures;
let studio: Studio;
let now = 0;
const cup: ObjectData = {
  name: "cup",
  shape: { box: [0.1, 0.1, 0.1] },
  pose: [1, 0, 0, 0, 0.3, 0.1, 0.2],
  color: null,
  fixed: false,
};
beforeAll(async () => {
  given = await fixtures("so101");
});
beforeEach(() => {
  studio = new Studio({ kernels: given.kernels, clock: () => now });
  take();
});

function take(change: Partial<Snapshot> = {}): void {
  const data = given.models.so101.data;
  const q = studio.model ? Array.from(studio.q) : data.start;
  const common = { objects: [cup], pose_changed: false, q };
  studio.takeSnapshot(snapshotOf(data, { ...common, ...change }));
}
const tool = (): string => studio.model!.siteNames.at(-1)!;
function turn(by: number): void {
  const q = studio.q.slice();
  q[0] += by;
  studio.setPose(q, "set");
}
const inTool = (): number[] =>
  applyPoseBack(
    poseAt(studio.poses, studio.model!.site(tool())),
    placeOf(studio.scene.pose("cup")!),
  );

it("an object that is carried keeps its place in the tool", () => {
  const before = inTool();
  studio.scene.carry("cup", tool());
  expect(placeOf(studio.scene.pose("cup")!)).toEqual([0.3, 0.1, 0.2]);
  turn(0.5);
  inTool().forEach((x, k) => expect(x).toBeCloseTo(before[k], 12));
  expect(Math.hypot(...placeOf(studio.scene.pose("cup")!).map((x, k) => x - cup.pose[4 + k])))
    .toBeGreaterThan(0.05); // prettier-ignore
  // what is carried cannot be moved by hand
  studio.scene.move("cup", cup.pose);
  inTool().forEach((x, k) => expect(x).toBeCloseTo(before[k], 12));
});

it("is written where it is let go, as one step", async () => {
  const edit = vi.spyOn(studio, "editStructure").mockResolvedValue();
  studio.scene.carry("cup", tool());
  turn(0.5);
  const pose = studio.scene.pose("cup")!;
  await studio.scene.release("cup");
  expect(studio.scene.carried).toEqual([]);
  const at = placement(pose);
  expect(edit).toHaveBeenCalledExactlyOnceWith("update_object", {
    name: "cup",
    keys: { at },
    label: "Release cup",
  });
  turn(0.2);
  expect(studio.scene.pose("cup")).toEqual(pose);
});

it("a place that the studio refuses is taken back", async () => {
  vi.spyOn(studio, "editStructure").mockRejectedValue(new Error("no"));
  studio.scene.move("cup", [1, 0, 0, 0, 9, 9, 9]);
  expect(placeOf(studio.scene.pose("cup")!)).toEqual([9, 9, 9]);
  await expect(studio.scene.place("cup")).rejects.toThrow("no");
  expect(placeOf(studio.scene.pose("cup")!)).toEqual([0.3, 0.1, 0.2]);
});

it("undo and redo take it and let it go again", () => {
  studio.scene.carry("cup", tool());
  take({ undo: "Grasp cup" });
  expect(studio.scene.isCarried("cup")).toBe(true);
  take({ redo: "Grasp cup" });
  expect(studio.scene.isCarried("cup")).toBe(false);
  expect(placeOf(studio.scene.pose("cup")!)).toEqual([0.3, 0.1, 0.2]);
  take({ undo: "Grasp cup", redo: "Release cup" });
  expect(studio.scene.isCarried("cup")).toBe(true);
  take({ undo: "Release cup" });
  expect(studio.scene.isCarried("cup")).toBe(false);
  // gone from the file: nothing to carry
  take({ undo: "Grasp cup" });
  take({ objects: [] });
  expect(studio.scene.carried).toEqual([]);
  expect(studio.scene.pose("cup")).toBeNull();
});

it("a plan is gone at bounded speed, and only then the tool holds the object", async () => {
  const there = studio.q.slice();
  there[0] += 0.3;
  const plan = {
    reached: true,
    reason: "reached",
    side: "above",
    frame: tool(),
    gripper: [],
    path: [Array.from(there)],
    grasp_at: 0,
  };
  const ask = vi
    .spyOn(studio, "ask")
    .mockReturnValue({ promise: Promise.resolve(plan), cancel: () => undefined } as never);
  await studio.scene.propose("cup", null).promise;
  expect(ask.mock.calls[0][1]).toMatchObject({ object: "cup", pose: cup.pose });
  studio.scene.accept();
  expect(studio.scene.proposal).toBeNull();
  for (let i = 0; i < 5; ++i) studio.tick((now += 1 / 60));
  expect(studio.isAnimating).toBe(true);
  expect(studio.scene.carried).toEqual([]);
  for (let i = 0; i < 120; ++i) studio.tick((now += 1 / 60));
  expect(studio.q[0]).toBeCloseTo(there[0], 9);
  expect(studio.scene.carried.map((one) => one.object)).toEqual(["cup"]);

  // one that does not reach leads near, and takes nothing
  await studio.scene.release("cup").catch(() => undefined);
  ask.mockReturnValue({
    promise: Promise.resolve({ ...plan, reached: false }),
    cancel: () => undefined,
  } as never);
  await studio.scene.propose("cup", null).promise;
  studio.scene.accept();
  for (let i = 0; i < 120; ++i) studio.tick((now += 1 / 60));
  expect(studio.scene.carried).toEqual([]);

  // a plan is worth nothing once the mechanism stands elsewhere
  await studio.scene.propose("cup", null).promise;
  turn(0.1);
  expect(studio.scene.proposal).toBeNull();
});

it("roll, pitch and yaw lead there and back", () => {
  for (const rpy of [[0.3, -0.4, 2], [-3, 1.5, 0.1], [0, Math.PI / 2, 0.7], [0, -Math.PI / 2, -1]]) {
    const quat = fromRpy(rpy as [number, number, number]);
    const again = fromRpy(toRpy(quat));
    const same = quat.reduce((sum, x, k) => sum + x * again[k], 0);
    expect(Math.abs(same)).toBeCloseTo(1, 9);
  } // prettier-ignore
  expect(placement([1, 0, 0, 0, 0.1234567, 0, -1])).toEqual({ xyz: [0.123457, 0, -1] });
  expect(placement([0, 0, 0, 1, 0, 0, 0]).rpy).toEqual([0, 0, 3.141593]);
});
