import { expect, it } from "vitest";

import { pointsText, readPoints, thinned } from "../../../src/ui/design/points-text.ts";
import { fineText, gapText } from "../../../src/ui/quantities/format.ts";

it("places are read line by line, in the shown unit", () => {
  const wanted = [[0.1, 0.02, 0], [-0.3, 0, 0.05]]; // prettier-ignore
  expect(readPoints("100, 20\n\n−300 0 50\n", "mm", 0)).toEqual(wanted);
  expect(readPoints("0.1; 0.02\n-0.3 0 0.05", "m", 0)).toEqual(wanted);
});

it("a missing z is that of the tool", () => {
  expect(readPoints("1 2\n3 4", "m", 0.7)).toEqual([[1, 2, 0.7], [3, 4, 0.7]]); // prettier-ignore
});

it("says where a text is wrong", () => {
  expect(readPoints("1 2\n3", "mm", 0)).toContain("line 2");
  expect(readPoints("1 2\nx 4", "mm", 0)).toContain("line 2");
  expect(readPoints("1 2", "mm", 0)).toContain("two points");
  expect(readPoints("1 2\n".repeat(201), "mm", 0)).toContain("too many");
});

it("text and places agree", () => {
  const places: [number, number, number][] = [[0.1234, -0.05, 0], [0, 0, 1]]; // prettier-ignore
  const again = readPoints(pointsText(places, "mm"), "mm", 9) as number[][];
  again.flat().forEach((x, i) => expect(x).toBeCloseTo(places.flat()[i], 9));
});

it("thins a curve and keeps its ends", () => {
  const flat = Float32Array.from({ length: 300 }, (_, i) => Math.floor(i / 3));
  const open = thinned(flat, 5, false).map(([x]) => x);
  expect(open).toEqual([0, 25, 50, 74, 99]);
  const closed = thinned(flat, 4, true).map(([x]) => x);
  expect(closed).toEqual([0, 25, 50, 75]);
  expect(thinned(Float32Array.of(0, 0, 0, NaN, 1, 1), 9, false)).toHaveLength(1);
});

it("small lengths have no exponents", () => {
  expect(gapText(0.00071)).toBe("710 µm");
  expect(fineText(0.00071)).toBe("0.71 mm");
  expect(fineText(0.0026182)).toBe("2.62 mm");
  expect(fineText(3.4e-7)).toBe("0.34 µm");
  expect(fineText(0)).toBe("0 mm");
});
