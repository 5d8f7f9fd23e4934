import { describe, expect, it } from "vitest";
import { differences, merge, sideBySide } from "../../../src/store/text/lines.ts";

const BASE = "a\nb\nc\nd\ne\n";

describe("merge", () => {
  it.each([
    [BASE, BASE, BASE],
    ["a\nB\nc\nd\ne\n", "a\nb\nc\nD\ne\n", "a\nB\nc\nD\ne\n"],
    ["a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "a\nB\nC\nd\ne\n"],
    ["x\n" + BASE, BASE + "y\n", "x\n" + BASE + "y\n"],
    ["a\nB\nc\nd\ne\n", "a\nB\nc\nd\nE\n", "a\nB\nc\nd\nE\n"],
    ["a\nB\nc\nd\ne\n", "a\nX\nc\nd\ne\n", null],
    ["a\nb\n1\nc\nd\ne\n", "a\nb\n2\nc\nd\ne\n", null],
    ["a\nX\ne\n", "a\nb\nc\nnew\nd\ne\n", null],
    ["a\nX\ne\n", "a\nnew\nb\nc\nd\ne\n", "a\nnew\nX\ne\n"],
  ])("merges changes of different lines (%#)", (mine, theirs, both) => {
    expect(merge(BASE, mine, theirs)).toBe(both);
    expect(merge(BASE, theirs, mine)).toBe(both);
  });

  it("takes no longer than the texts are long", () => {
    const old = Array.from({ length: 60_000 }, (_, n) => `${n % 7}`);
    const mine = [...old.slice(0, 30_000), "mine", ...old.slice(30_000)];
    merge(old.join("\n"), mine.join("\n"), [...old.slice(1), "theirs"].join("\n"));
  });
});

it("differences turn one text into the other", () => {
  let seed = 3;
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
  const lines = (): string[] => Array.from({ length: random(10) }, () => "abcdef"[random(6)]!);
  for (let n = 0; n < 500; n++) {
    const [a, b] = [lines(), lines()];
    const made: string[] = [];
    let at = 0;
    for (const { a0, a1, b0, b1 } of differences(a, b)) {
      made.push(...a.slice(at, a0), ...b.slice(b0, b1));
      at = a1;
    }
    expect([...made, ...a.slice(at)]).toEqual(b);
  }
});

it("shows two texts side by side, and leaves out what is equal far from any difference", () => {
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`);
  const mine = [...lines.slice(0, 14), "mine", ...lines.slice(15)].join("\n");
  const theirs = [...lines.slice(0, 14), "theirs", "more", ...lines.slice(15)].join("\n");
  const rows = sideBySide(mine, theirs);
  expect(rows.map((row) => row.kind)).toEqual([
    "gap", "same", "same", "same", "differs", "differs", "same", "same", "same", "gap",
  ]); // prettier-ignore
  expect(rows[0]).toEqual({ kind: "gap", count: 11 });
  expect(rows[4]).toEqual({
    kind: "differs",
    mine: { number: 15, text: "mine" },
    theirs: { number: 15, text: "theirs" },
  });
  expect(rows[5]).toEqual({ kind: "differs", mine: null, theirs: { number: 16, text: "more" } });
  expect(sideBySide("same", "same").every((row) => row.kind !== "differs")).toBe(true);
});
