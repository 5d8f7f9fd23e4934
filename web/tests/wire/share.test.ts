import { expect, it } from "vitest";

import { packShare, shareLink, unpackShare } from "../../src/wire/share.ts";

const shared = {
  text: "name: Fünfgelenk\n" + "joints: {A: {type: revolute}}\n".repeat(80),
  q: [0.123456789012, -2, 1e-9, Math.PI],
};

it("comes back as it went, much smaller", async () => {
  const hash = await packShare(shared);
  expect(hash).toMatch(/^m1=[A-Za-z0-9_-]+$/);
  expect(hash.length).toBeLessThan(shared.text.length / 4);
  const back = await unpackShare(`#${hash}`);
  expect(back!.text).toBe(shared.text);
  back!.q.forEach((value, i) => expect(value).toBeCloseTo(shared.q[i], 10));
});

it("makes a link of any address, file:// too", async () => {
  const link = await shareLink("file:///tmp/page.html#old", shared);
  expect(link.startsWith("file:///tmp/page.html#m1=")).toBe(true);
  expect((await unpackShare(new URL(link).hash))!.text).toBe(shared.text);
});

it("gives nothing for links without or with a damaged mechanism", async () => {
  const hash = await packShare(shared);
  for (const bad of ["", "#", "#section", "m1=", "m1=%%%", hash.slice(0, -9), "m1=AAAA"])
    expect(await unpackShare(bad)).toBeNull();
  expect(await unpackShare(await packShare({ text: "a", q: [NaN] }))).toBeNull();
});

it("does not unpack a bomb", async () => {
  const hash = await packShare({ text: "a".repeat(6 << 20), q: [] });
  expect(hash.length).toBeLessThan(20_000);
  expect(await unpackShare(hash)).toBeNull();
});
