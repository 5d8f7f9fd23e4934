// Sticks, pads and buttons of controllers with and without all of them.
import { describe, expect, it } from "vitest";
import { commandsOf, type Pad, stickOf } from "../../../src/xr/hands/buttons.ts";

const pad = (axes: readonly number[], down: readonly number[], count: number): Pad => ({
  axes,
  buttons: Array.from({ length: count }, (_, i) => ({ pressed: down.includes(i) })),
});

describe("a stick or a pad", () => {
  it("is read right and up", () => {
    expect(stickOf(pad([0, 0, 0.5, -1], [], 6))).toEqual([0.5, 1]);
  });

  it("counts as a pad only while it is pressed, not where a thumb rests", () => {
    expect(stickOf(pad([1, -1], [], 3)).map(Math.abs)).toEqual([0, 0]);
    expect(stickOf(pad([1, -1], [2], 3))).toEqual([1, 1]);
    expect(stickOf(pad([1, -1, 0, 0], [], 4)).map(Math.abs)).toEqual([0, 0]);
  });
});

describe("the buttons for the menu and for stopping", () => {
  it("are A or X, and B or Y, where there are any", () => {
    expect(commandsOf(pad([0, 0, 0, 0], [4], 6), "left")).toEqual({ menu: true, stop: false });
    expect(commandsOf(pad([0, 0, 0, 0], [5], 6), "right")).toEqual({ menu: false, stop: true });
    expect(commandsOf(pad([0, 0, 0, 0], [3], 6), "left")).toEqual({ menu: false, stop: false });
  });

  it("are the middle of the pad or stick of wands: the right one's menu, the left one's stop", () => {
    expect(commandsOf(pad([0.1, 0.1], [2], 3), "right")).toEqual({ menu: true, stop: false });
    expect(commandsOf(pad([0.1, 0.1], [2], 3), "left")).toEqual({ menu: false, stop: true });
    expect(commandsOf(pad([0.9, 0.1, 0, 0], [3], 4), "left")).toEqual({ menu: false, stop: true });
    expect(commandsOf(pad([0, 1], [2], 3), "right")).toEqual({ menu: false, stop: false });
    expect(commandsOf(pad([], [0], 1), "right")).toEqual({ menu: false, stop: false });
  });
});
