import { ChangeSet, Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { replacement, replacements } from "../../../src/ui/editor/change.ts";

const apply = (text: string, after: string): string =>
  ChangeSet.of(replacements(text, after), text.length)
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

  it("leaves a cursor between two changes where it is, though lines come and go", () => {
    const before = "a\nb\ncursor\nd\ne";
    const changes = ChangeSet.of(replacements(before, "new\na\nb\ncursor\ne"), before.length);
    expect(changes.mapPos(before.indexOf("sor"))).toBe("new\na\nb\ncur".length);
  });

  it("turns any text into any other", () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    const text = (): string =>
      Array.from({ length: random(6) }, () => "abc".slice(0, random(4))).join("\n");
    for (let n = 0; n < 3000; n++) {
      const [before, after] = [text(), text()];
      expect(apply(before, after), JSON.stringify([before, after])).toBe(after);
    }
  });
});
