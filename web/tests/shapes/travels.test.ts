import { describe, expect, it } from "vitest";
import type { ShapeModel } from "../../src/shapes/data.ts";
import { posedTravels, roomyTravels } from "../../src/shapes/travels.ts";

/** A slider along the x axis of the base, or one that sits on link 1. */
function model(parent: number): ShapeModel {
  const along = [0, 0, 1, 0, 1, 0, -1, 0, 0, 0.5, 0, 0];
  return {
    data: {
      links: ["base", "A", "B"],
      link_shapes: ["auto", "auto", "auto"],
      link_colors: [null, null, null],
      loops: [],
      frames: [],
      joints: [
        {
          name: "B",
          type: "prismatic",
          parent,
          child: 2,
          on: "A",
          onto: "",
          q: 0,
          nq: 1,
          v: 0,
          nv: 1,
          placement: 0,
          is_cut: false,
          variables: [{ name: "r", quantity: "length", motor: true, mode: "position" }],
          editable: true,
        },
      ],
    },
    transforms: along,
  };
}
const POSES = [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1.25, 0, 0];

describe("posedTravels", () => {
  it("measures how far a slider is out", () => {
    expect(posedTravels(model(0), POSES).get(0)).toBeCloseTo(0.75, 14);
  });
});

describe("roomyTravels", () => {
  it("makes a rail reach to the far limit", () => {
    expect(roomyTravels(model(0), POSES, [-0.2], [1.5]).get(0)).toBe(1.5);
  });

  it("keeps a rod in its sleeve at both limits", () => {
    const travel = roomyTravels(model(1), POSES, [0.5], [1]).get(0)!;
    expect(travel).toBeCloseTo(1 / 1.45, 12);
    // At the far end the rod (0.95 long) still begins inside the sleeve (0.55 long).
    expect(1 - 0.95 * travel).toBeLessThan(0.55 * travel);
  });

  it("takes the pose where there are no limits", () => {
    expect(roomyTravels(model(1), POSES, [-Infinity], [Infinity]).get(0)).toBeCloseTo(0.75, 14);
  });
});
