import { expect, it } from "vitest";

import { unpackLive } from "../../src/wire/frames.ts";
import { livePacket } from "../store/live-packet.ts";

it("reads what the studio packs", () => {
  const frame = unpackLive(
    livePacket({
      time: 1.5,
      q: [1, 2, 3],
      efforts: [4, 5],
      hands: [[7, 1, 2, 2, 0, 0, 1, 9, 8, 0, 0, 0, 0.5, 3, 0, 0, 2]],
      near: -0.01,
    }),
  )!;
  expect(frame.time).toBe(1.5);
  expect([...frame.q]).toEqual([1, 2, 3]);
  expect([...frame.efforts]).toEqual([4, 5]);
  expect(frame.hands).toEqual([
    {
      ...{ hand: 7, force: [1, 2, 2], place: [0, 0, 1], stiffness: 9, damping: 8, depth: 0 },
      ...{ moment: [0, 0, 0.5], client: 3, target: [0, 0, 2] },
    },
  ]);
  expect(frame).toMatchObject({ clearance: -0.01, near_link: 1, near_object: 0, least: -0.01 });
  expect(frame.reactions).toHaveLength(0);
  expect(frame.is_led).toBe(false);
});

it("takes nothing that is cut short, of another kind, or not a number", () => {
  const good = livePacket({ q: [1] });
  expect(unpackLive(good.slice(0, -8))).toBeNull();
  expect(unpackLive(new ArrayBuffer(12))).toBeNull();
  const other = good.slice(0);
  new DataView(other).setUint32(0, 2, true);
  expect(unpackLive(other)).toBeNull();
  expect(unpackLive(livePacket({ q: [NaN] }))).toBeNull();
});
