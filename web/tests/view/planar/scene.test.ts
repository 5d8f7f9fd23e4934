import { describe, expect, it } from "vitest";
import type { PageModel } from "../../../src/kernel/page-model.ts";
import { IDENTITY } from "../../../src/shapes/vectors.ts";
import { flatScene, touched } from "../../../src/view/planar/scene.ts";

const joint = (name: string, parent: number, child: number, placement: number) => ({
  name,
  type: "revolute",
  parent,
  child,
  placement,
  is_cut: false,
  variables: [{ name: "theta", quantity: "angle", motor: parent === 0 }],
});
const at = (x: number) => [1, 0, 0, 0, 1, 0, 0, 0, 1, x, 0, 0];

/** Two bars of 1 m and 2 m, the second turned by a quarter. */
const MODEL = {
  data: {
    links: ["base", "A", "B"],
    joints: [joint("A", 0, 1, 0), joint("B", 1, 2, 1)],
    loops: [],
    frames: [{ name: "tip", link: 2, placement: 2 }],
  },
  transforms: Float64Array.from([...at(0), ...at(1), ...at(2)]),
} as unknown as PageModel;
const S = Math.SQRT1_2;
const POSES = Float64Array.from([
  1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, S, 0, 0, S, 1, 0, 0, S, 0, 0, S, 1, 2, 0,
]); // prettier-ignore

describe("flatScene", () => {
  const scene = flatScene(MODEL, POSES, IDENTITY);

  it("finds the ends of the bars", () => {
    expect(round(scene.links[1].hull)).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(round(scene.links[2].hull)).toEqual([
      [1, 0],
      [1, 2],
    ]);
    expect(round(scene.frames.map((frame) => frame.at))).toEqual([[1, 2]]);
  });

  it("knows what stands on the ground and what has a motor", () => {
    expect(scene.joints.map(({ onGround, motor }) => [onGround, motor])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it("finds the touched bar, and the point of it", () => {
    const hit = touched(scene, [1.02, 1.5], 0.1);
    expect(hit!.link).toBe(2);
    expect(round([hit!.point])).toEqual([[1.5, 0, 0]]);
    expect(touched(scene, [0.5, 0.5], 0.1)).toBeNull();
  });
});

const round = (rows: number[][]) =>
  rows.map((row) => row.map((x) => Math.round(x * 1e9) / 1e9 + 0));
