import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { LocalMinimum } from "../../../src/store/pose/local-minimum.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** As much of a studio as it takes. */
function studio(reached: boolean) {
  const heard: ((status: unknown) => void)[] = [];
  const made = {
    on: (_: string, listener: (status: unknown) => void) => heard.push(listener),
    grabs: [{ spec: { kind: "point", site: 1, position: [1, 2, 0] } }] as unknown[],
    pins: [],
    model: { size: 1, siteNames: ["base", "hand"] },
    status: null as { words: string } | null,
    asked: [] as unknown[],
    setStatus(status: { words: string }) {
      made.status = status;
      for (const listener of heard) listener(status);
    },
    ask(what: string, args: unknown) {
      made.asked.push([what, args]);
      return { promise: Promise.resolve({ reached }), cancel: () => undefined };
    },
  };
  new LocalMinimum(made as never);
  return made;
}
const OUT = { words: "out of reach: 'hand' is 3 mm away" };

it("asks once the hand rests, and says that another branch gets there", async () => {
  const page = studio(true);
  for (let i = 0; i < 5; ++i) page.setStatus(OUT);
  expect(page.asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  const handle = { frame: "hand", position: [1, 2, 0], point: null };
  expect(page.asked).toEqual([["solve", { handles: [handle] }]]);
  const words =
    "reached on another branch: dragging from here ends in a local minimum, where 'hand' is 3 mm away";
  expect(page.status?.words).toBe(words);
  page.setStatus(OUT); // the next tick
  expect(page.status?.words).toBe(words);
  expect(page.asked).toHaveLength(1);
});

it("leaves what is out of reach as it is, and forgets when the hand lets go", async () => {
  const page = studio(false);
  page.setStatus(OUT);
  await vi.advanceTimersByTimeAsync(500);
  expect(page.status?.words).toBe(OUT.words);
  page.grabs = [];
  page.setStatus({ words: "reached" });
  page.setStatus(OUT);
  await vi.advanceTimersByTimeAsync(500);
  expect(page.asked).toHaveLength(1);
});
