import { describe, expect, it } from "vitest";
import type { Studio } from "../../src/store/studio.ts";
import { Pace } from "../../src/view/overlays/pace.ts";

/** A studio with one angle and a clock of its own. */
function made() {
  let listener: (() => void) | null = null;
  const studio = {
    q: Float64Array.of(0),
    model: {
      nv: 1,
      difference: (a: Float64Array, b: Float64Array) => Float64Array.of(b[0] - a[0]),
    },
    now: 0,
    clock: () => studio.now,
    on: (_: string, heard: () => void) => {
      listener = heard;
      return () => (listener = null);
    },
  };
  const pose = (at: number, q: number) => {
    studio.now = at;
    studio.q = Float64Array.of(q);
    listener?.();
  };
  const pace = new Pace(studio as unknown as Studio);
  pace.restart();
  return { pace, pose, studio };
}

describe("Pace", () => {
  it("finds the speed of a steady motion and no acceleration", () => {
    const { pace, pose } = made();
    for (let i = 0; i <= 100; i++) pose(i / 100, 0.02 * i);
    expect(pace.velocity()[0]).toBeCloseTo(2, 6);
    expect(Math.abs(pace.acceleration()[0])).toBeLessThan(1e-3);
  });

  it("finds a steady acceleration", () => {
    const { pace, pose } = made();
    for (let i = 0; i <= 100; i++) pose(i / 100, 1.5 * (i / 100) ** 2);
    expect(pace.acceleration()[0]).toBeCloseTo(3, 2);
  });

  it("comes to rest when nothing moves any more", () => {
    const { pace, pose, studio } = made();
    for (let i = 0; i <= 20; i++) pose(i / 100, 0.02 * i);
    studio.now = 2;
    for (let i = 0; i < 60; i++) pace.velocity();
    expect(pace.isMoving).toBe(false);
  });
});
