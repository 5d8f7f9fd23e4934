import { beforeAll, beforeEach, expect, it } from "vitest";

import { keyOf } from "../../../src/store/programs/programs.ts";
import { Studio } from "../../../src/store/studio.ts";
import type { TraceItem } from "../../../src/wire/messages.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

let given: Fixtures;
let studio: Studio;
const item = (length = 100): TraceItem => ({
  kind: "trace",
  frame: "tool",
  point: [0, 0, 0],
  color: "",
  length,
});
const show = (data: TraceItem): void => studio.programs.shown({ program: 3, item: "way", data });
const points = (): readonly (readonly number[])[] => studio.programs.trace("3/way");
function turn(by: number): void {
  const q = studio.q.slice();
  q[0] += by;
  studio.setPose(q, "remote");
}

beforeAll(async () => {
  given = await fixtures("so101");
});
beforeEach(() => {
  studio = new Studio({ kernels: given.kernels });
  studio.takeSnapshot(snapshotOf(given.models.so101.data, { pose_changed: true }));
});

it("begins where the point is, and follows it", () => {
  show({ ...item(), frame: studio.model!.siteNames.at(-1)! });
  expect(keyOf(studio.programs.drawn[0])).toBe("3/way");
  expect(points()).toHaveLength(1);
  for (let i = 0; i < 5; ++i) turn(0.1);
  expect(points()).toHaveLength(6);
  turn(1e-9); // too near to be seen
  expect(points()).toHaveLength(6);
});

it("drops the oldest points, and everything after a leap", () => {
  show({ ...item(10), frame: studio.model!.siteNames.at(-1)! });
  for (let i = 0; i < 25; ++i) turn(0.05);
  expect(points()).toHaveLength(10);
  studio.setPose(studio.q.slice(), "snapshot");
  expect(points()).toHaveLength(1);
});

it("ends with its item, and starts again for another frame", () => {
  const frame = studio.model!.siteNames.at(-1)!;
  show({ ...item(), frame });
  turn(0.3);
  show({ ...item(), frame, color: "red" }); // the same point in another colour
  expect(points()).toHaveLength(2);
  show({ ...item(), frame, point: [0, 0, 0.1] });
  expect(points()).toHaveLength(1);
  studio.programs.hidden({ kind: "item_hidden", program: 3, item: "way" });
  expect(points()).toHaveLength(0);
});

it("waits for a frame that the mechanism does not have", () => {
  show({ ...item(), frame: "nobody" });
  turn(0.3);
  expect(points()).toHaveLength(0);
});
