import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { App } from "../../../src/ui/state/app.svelte.ts";
import { FakeStore } from "../../wire/fake-socket.ts";

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllGlobals());

/** What a page at an address asks its studio to open, besides its greeting. */
async function visit(search: string, type: string, hasSession: boolean): Promise<unknown[][]> {
  const store = new FakeStore();
  if (hasSession) store.setItem("kinegen.session", "s1");
  const url = new URL(`http://here/${search}`);
  vi.stubGlobal("location", url);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("sessionStorage", store);
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("performance", { getEntriesByType: () => [{ type }] });
  const { openShared, startOptions } = await import("../../../src/ui/state/start.ts");
  const options = await startOptions();
  expect(options.url).toMatch(/^ws:\/\/here\/ws/);
  const open = vi.fn(async () => undefined);
  const studio = { snapshot: {}, welcome: { suffixes: [".raff", ".par"] }, open };
  await openShared({ studio, ask: vi.fn() } as unknown as App);
  return open.mock.calls;
}

it("an address that is typed again wins over the tab's session; a reload keeps the work", async () => {
  expect(await visit("?open=delta", "navigate", true)).toEqual([["library", "delta"]]);
});

it("distinguishes files of the project from the library", async () => {
  expect(await visit("?open=mine.raff", "navigate", true)).toEqual([["file", "mine.raff"]]);
  expect(await visit("?open=theirs.par", "navigate", true)).toEqual([["file", "theirs.par"]]);
});

it.each([
  ["?open=delta", "reload", true],
  ["?open=delta", "back_forward", true],
  // the greeting opens it: there is nothing to do besides
  ["?open=delta", "navigate", false],
  ["", "navigate", true],
  ["?open=delta&watch=s2", "navigate", true],
])("%s by %s, session: %s: nothing is opened besides", async (search, type, hasSession) => {
  expect(await visit(search, type, hasSession)).toEqual([]);
});
