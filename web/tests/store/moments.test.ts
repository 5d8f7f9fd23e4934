import { describe, expect, it } from "vitest";

import { Moments } from "../../src/store/moments.ts";

const moment = (number: number, behind = 0) => ({ kind: "wall_moment", number, behind }) as const;

function made(): { moments: Moments; seen: string[]; reported: number[] } {
  const reported: number[] = [];
  const seen: string[] = [];
  return { moments: new Moments((number) => reported.push(number)), seen, reported };
}

describe("moments of a wall", () => {
  it("show everything at once in a window that is no screen", () => {
    const { moments, seen, reported } = made();
    moments.show(() => seen.push("a"));
    moments.drew();
    expect([seen, reported]).toEqual([["a"], []]);
  });

  it("show what came before them with the next picture, which is then reported", () => {
    const { moments, seen, reported } = made();
    moments.begin();
    moments.took(moment(4));
    moments.drew();
    moments.show(() => seen.push("a"));
    moments.tick();
    moments.drew();
    expect([seen, reported]).toEqual([[], [0, 4]]);
    moments.took(moment(5, 1));
    moments.show(() => seen.push("b"));
    moments.tick();
    expect([seen, moments.number]).toEqual([["a"], 4]);
    moments.drew();
    moments.drew();
    expect([reported, moments.number, moments.behind]).toEqual([[0, 4, 5], 5, 1]);
  });

  it("draw the latest where two came between two pictures", () => {
    const { moments, seen, reported } = made();
    moments.begin();
    moments.took(moment(1));
    moments.show(() => seen.push("a"));
    moments.took(moment(2));
    moments.show(() => seen.push("b"));
    moments.took(moment(3));
    moments.tick();
    moments.drew();
    expect([seen, reported]).toEqual([
      ["a", "b"],
      [0, 3],
    ]);
  });

  it("show nothing old after a change of the mechanism, or of another connection", () => {
    const { moments, seen, reported } = made();
    moments.begin();
    moments.took(moment(1));
    moments.show(() => seen.push("a"));
    moments.flush();
    expect(seen).toEqual(["a"]);
    moments.show(() => seen.push("b"));
    moments.begin();
    moments.took(moment(1));
    moments.tick();
    expect([seen, reported]).toEqual([["a"], [0, 0]]);
  });
});
