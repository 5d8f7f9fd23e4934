import { describe, expect, it } from "vitest";
import { niceStep } from "../../src/view/stage/grid.ts";
import { lengthText, rateText, valueText } from "../../src/view/units.ts";

describe("units", () => {
  it("writes lengths as the user wants them", () => {
    expect(lengthText(0.0123, "mm")).toBe("12.3 mm");
    expect(lengthText(0.0123, "m")).toBe("0.0123 m");
    expect(lengthText(1.2345, "mm")).toBe("1235 mm");
    expect(lengthText(0.00001, "mm")).toBe("10 µm");
  });

  it("writes angles with a proper minus", () => {
    expect(valueText(-Math.PI / 2, "rad", { angleUnit: "deg", lengthUnit: "mm" })).toBe("−90°");
    expect(valueText(1, "rad", { angleUnit: "rad", lengthUnit: "mm" })).toBe("1 rad");
  });
});

describe("niceStep", () => {
  it.each([
    [0.013, 0.01],
    [0.02, 0.02],
    [0.49, 0.2],
    [7, 5],
  ])("of %d is %d", (length, step) => expect(niceStep(length)).toBeCloseTo(step, 12));
});

it("says speeds and accelerations with their units", () => {
  const chosen = { lengthUnit: "mm", angleUnit: "deg" } as const;
  expect(rateText(Math.PI, "rad", 1, chosen)).toBe("180°/s");
  expect(rateText(0.25, "m", 2, chosen)).toBe("250 mm/s²");
  expect(rateText(0.25, "m", 1, { ...chosen, lengthUnit: "m" })).toBe("0.25 m/s");
  expect(rateText(1.5, "rad", 2, { ...chosen, angleUnit: "rad" })).toBe("1.5 rad/s²");
});
