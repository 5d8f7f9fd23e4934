import { Ray, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { alongLine, aroundAxis, onPlane } from "../../../src/view/pointing/rays.ts";

const ray = (from: [number, number, number], to: [number, number, number]) =>
  new Ray(new Vector3(...from), new Vector3(...to).sub(new Vector3(...from)).normalize());

describe("rays", () => {
  it("meet a plane", () => {
    const hit = onPlane(ray([0, 0, 5], [1, 2, 0]), [0, 0, 1], new Vector3(0, 0, 1));
    expect(hit!.toArray().map((x) => x.toFixed(6))).toEqual(["0.800000", "1.600000", "1.000000"]);
    expect(onPlane(ray([0, 0, 5], [0, 0, 9]), [0, 0, 1], new Vector3(0, 0, 1))).toBeNull();
  });

  it("give how far along an axis they point", () => {
    const axis = new Vector3(1, 0, 0);
    const through = new Vector3(0, 1, 0);
    expect(alongLine(ray([2, 1, 5], [2, 1, 0]), through, axis)).toBeCloseTo(2, 12);
    expect(alongLine(ray([2, -3, 5], [-1.5, 1, 0]), through, axis)).toBeCloseTo(-1.5, 12);
    expect(alongLine(ray([0, 0, 0], [1, 0, 0]), through, axis)).toBeNull();
  });

  it("give the angle around an axis", () => {
    const [centre, axis, zero] = [new Vector3(1, 1, 0), new Vector3(0, 0, 1), new Vector3(1, 0, 0)];
    expect(aroundAxis(ray([1, 2, 5], [1, 2, 0]), centre, axis, zero)).toBeCloseTo(Math.PI / 2, 12);
    expect(aroundAxis(ray([0, 1, 5], [0, 1, 0]), centre, axis, zero)).toBeCloseTo(Math.PI, 12);
  });
});
