import { expect, it } from "vitest";
import { energyText } from "../../src/ui/forces/words.ts";
import { inUnit, shown, steady, withUnit } from "../../src/ui/quantities/format.ts";
import { forceText, lengthText, rateText, torqueText, valueText } from "../../src/view/units.ts";

const SETTINGS = { lengthUnit: "mm", angleUnit: "deg" } as const;

it.each([0, -0, -1e-17, -1e-13, -1e-11, -4e-9])("never shows minus nothing: %s", (value) => {
  const texts = [
    shown(value, "length", "mm"),
    shown(value, "angle", "m"),
    steady(value, "length", "m"),
    withUnit(value, "length", "mm"),
    inUnit(value, "length", "mm", "cm"),
    energyText(value),
    forceText(value),
    torqueText(value),
    valueText(value, "rad", SETTINGS),
    rateText(value, "m", 1, SETTINGS),
  ];
  for (const text of texts) expect(text).not.toMatch(/[−-]0(?:[.,]0*)?(?:\D|$)/);
});

it.each([-1e-17, -1e-13])("does not show what rounding left of a length: %s", (value) => {
  expect(lengthText(value, "mm")).toBe("0 mm");
  expect(lengthText(value, "m")).toBe("0 m");
});
