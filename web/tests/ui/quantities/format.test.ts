import { describe, expect, it } from "vitest";
import {
  ago, gapText, lengthUnit, minus, sentence, shown, steady, withUnit, wrapped,
} from "../../../src/ui/quantities/format.ts"; // prettier-ignore

const DEGREE = Math.PI / 180;

describe("units", () => {
  it("follow the file's habit", () => {
    expect(lengthUnit("d: 150 mm", 12)).toBe("mm");
    expect(lengthUnit("d: 0.15", 0.3)).toBe("mm");
    expect(lengthUnit("d: 3.0", 4)).toBe("m");
  });

  it("show numbers as people read them", () => {
    expect(shown(0.15, "length", "mm")).toBe("150");
    expect(shown(-0.0123, "length", "mm")).toBe("−12.3");
    expect(shown(-1e-9, "length", "mm")).toBe("0");
    expect(shown(3.15381, "length", "m")).toBe("3.1538");
    expect(shown(Infinity, "angle", "m")).toBe("∞");
    expect(withUnit(30 * DEGREE, "angle", "mm")).toBe("30°");
    expect(withUnit(0.15, "length", "mm")).toBe("150 mm");
    expect(steady(-1e-9, "length", "mm")).toBe("0.0");
    expect(gapText(3e-7)).toBe("0.30 µm");
    expect(gapText(0.0123)).toBe("12.3 mm");
  });
});

it("angles wrap into half a turn either way", () => {
  expect(wrapped(3 * Math.PI)).toBeCloseTo(Math.PI, 12);
  expect(wrapped(-0.5)).toBeCloseTo(-0.5, 12);
  expect(wrapped(2 * Math.PI + 0.1)).toBeCloseTo(0.1, 12);
});

it("times are said in words", () => {
  expect(ago(10)).toBe("just now");
  expect(ago(7200)).toBe("2 h ago");
});

it("words become sentences once", () => {
  expect(sentence("moves with 2 dof")).toBe("Moves with 2 dof.");
  expect(sentence("Done.")).toBe("Done.");
  expect(sentence("")).toBe("");
  expect(minus(-1)).toBe("−1");
});
