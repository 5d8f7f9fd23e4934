import { ChangeSet, Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { rebased, replacement, replacements } from "../../src/ui/editor/change.ts";

const apply = (text: string, changes: ReturnType<typeof rebased>): string =>
  ChangeSet.of(changes, text.length)
    .apply(Text.of(text.split("\n")))
    .toString();

describe("replacement", () => {
  it("is what lies between the common ends", () => {
    expect(replacement("crank: 150 mm", "crank: 180 mm")).toEqual({ from: 8, to: 9, insert: "8" });
    expect(replacement("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
    expect(replacement("same", "same")).toBeNull();
  });

  it("goes line by line where lines match", () => {
    const found = replacements("a: 1\nb: 2\nc: 3", "a: 9\nb: 2\nc: 8");
    expect(found).toEqual([
      { from: 3, to: 4, insert: "9" },
      { from: 13, to: 14, insert: "8" },
    ]);
  });
});

describe("a foreign change", () => {
  it("goes on top of what was typed meanwhile", () => {
    const base = "crank: 150 mm\njoints:\n";
    const typed = "crank: 150 mm\njoints:\n  - {name: A";
    const foreign = "crank: 180 mm\njoints:\n";
    expect(apply(typed, rebased(base, foreign, typed))).toBe(
      "crank: 180 mm\njoints:\n  - {name: A",
    );
  });

  it("replaces the whole text where another mechanism is opened", () => {
    expect(apply("one", rebased("one", "two\nlines", "one"))).toBe("two\nlines");
  });
});
