import { beforeAll, expect, it, vi } from "vitest";

import { Studio } from "../../../src/store/studio.ts";
import { type Fixtures, fixtures, snapshotOf } from "../../fixtures.ts";

let given: Fixtures;
beforeAll(async () => {
  given = await fixtures("four-bar");
});

function alone(): { studio: Studio; notice: ReturnType<typeof vi.fn> } {
  const studio = new Studio({ kernels: given.kernels });
  studio.takeSnapshot(snapshotOf(given.models["four-bar"].data));
  const notice = vi.fn();
  studio.on("notice", notice);
  return { studio, notice };
}

it("says that an exported page knows no bodies only to those who have asked for them", async () => {
  const { studio, notice } = alone();
  studio.collisions.felt = true; // hands in a headset: nobody has pressed anything
  expect(studio.collisions.isOn).toBe(true);
  await Promise.resolve();
  expect(studio.collisions.refused).toContain("exported page");
  expect(notice).not.toHaveBeenCalled();
  studio.setSetting("showCollisions", true);
  await Promise.resolve();
  expect(notice).toHaveBeenCalledTimes(1);
});

it("ends the work on bodies for good when it is cancelled, whoever wanted them", () => {
  const { studio } = alone();
  studio.collisions.felt = true;
  studio.setSetting("avoidCollisions", true);
  studio.collisions.cancel();
  expect(studio.collisions.isOn).toBe(false);
});
