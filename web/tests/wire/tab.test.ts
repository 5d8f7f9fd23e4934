import { expect, it } from "vitest";

import { type Locks, tabStore } from "../../src/wire/tab.ts";
import { FakeStore } from "./fake-socket.ts";

/** Locks of one browser; a page that goes releases its own. */
function browser(): { locks: Locks; close(name: string): void } {
  const held = new Set<string>();
  return {
    locks: {
      request: async (name, _options, use) => {
        if (held.has(name)) return use(null);
        held.add(name);
        void use({});
      },
    },
    close: (name) => held.delete(`kinegen-tab-${name}`),
  };
}

it("keeps its session over a reload", async () => {
  const { locks, close } = browser();
  const store = new FakeStore();
  await tabStore(store, locks);
  store.setItem("kinegen.session", "mine");
  close(store.getItem("kinegen.tab")!);
  await tabStore(store, locks);
  expect(store.getItem("kinegen.session")).toBe("mine");
});

it("a duplicated tab gets a session of its own", async () => {
  const { locks } = browser();
  const first = new FakeStore();
  await tabStore(first, locks);
  first.setItem("kinegen.session", "mine");
  const copy = new FakeStore();
  for (const key of ["kinegen.tab", "kinegen.session"]) copy.setItem(key, first.getItem(key)!);
  await tabStore(copy, locks);
  expect(copy.getItem("kinegen.session")).toBeNull();
  expect(copy.getItem("kinegen.tab")).not.toBe(first.getItem("kinegen.tab"));
  expect(first.getItem("kinegen.session")).toBe("mine");
});

it("does without locks or storage", async () => {
  const store = new FakeStore();
  expect(await tabStore(store, null)).toBe(store);
  expect(await tabStore(null, browser().locks)).toBeNull();
});
