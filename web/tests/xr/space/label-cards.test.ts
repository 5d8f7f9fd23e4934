import { Vector3 } from "three";
import { describe, expect, it } from "vitest";

import type { LabelKind } from "../../../src/view/labels/labels.ts";
import { angles, chosen, type Eyes, MOST, shifted } from "../../../src/xr/space/label-cards.ts";

const eyes: Eyes = {
  ...{ place: new Vector3(0, 0, 1.6), ahead: new Vector3(0, 1, 0) },
  along: new Vector3(0, 1, -0.3).normalize(),
};
const label = (x: number, y: number, z: number, kind: LabelKind = "name") => ({
  ...{ at: new Vector3(x, y, z), kind },
});

describe("labels before the eyes", () => {
  it("are those that can be seen, warnings first, then the nearest", () => {
    const near = label(0.1, 0.8, 1.5);
    const far = label(0, 3, 1.2);
    const alarm = label(0, 4, 1.3, "alarm");
    const out = [label(0, -1, 1.5), label(5, 0.5, 1.5), label(0, 20, 1), label(0, 0.1, 1.55)];
    expect(chosen([far, ...out, near, alarm], eyes)).toEqual([alarm, near, far]);
  });

  it("are not more than can be read", () => {
    const all = Array.from({ length: 40 }, (_, i) => label(0.01 * i, 1 + 0.01 * i, 1.4));
    expect(chosen(all, eyes)).toEqual(all.slice(0, MOST));
  });
});

describe("angles of a label", () => {
  it("grow to the right and down, wherever one looks", () => {
    const straight = angles(new Vector3(0, 2, 1.6), eyes);
    expect(straight.x).toBeCloseTo(0, 9);
    expect(straight.y).toBeCloseTo(0, 9);
    expect(angles(new Vector3(0.1, 2, 1.6), eyes).x).toBeGreaterThan(0);
    expect(angles(new Vector3(0, 2, 1.5), eyes).y).toBeGreaterThan(0);
  });

  it("lead back to the same place", () => {
    const at = new Vector3(-0.4, 1.1, 0.9);
    expect(shifted(at, eyes, angles(at, eyes)).distanceTo(at)).toBeLessThan(1e-9);
    const other = { ...angles(at, eyes) };
    other.x += 100;
    expect(shifted(at, eyes, other).distanceTo(eyes.place)).toBeCloseTo(
      at.distanceTo(eyes.place),
      9,
    );
  });
});
