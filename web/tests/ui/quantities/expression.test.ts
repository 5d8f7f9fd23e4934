import { expect, it } from "vitest";
import { readFormula, readTyped } from "../../../src/ui/quantities/expression.ts";
import { inUnit } from "../../../src/ui/quantities/format.ts";

const DEGREE = Math.PI / 180;
const angle = (text: string): number | undefined => readTyped(text, "angle", "mm")?.value;
const length = (text: string): number | undefined => readTyped(text, "length", "mm")?.value;

it.each([
  ["90", 90],
  ["-45", -45],
  ["−45", -45],
  ["90 deg", 90],
  ["90°", 90],
  ["pi/2", 90],
  ["π", 180],
  ["-pi/4 rad", -45],
  ["2*pi/3", 120],
  ["1/4 turn", 90],
  ["1/2 rev", 180],
  ["2*45", 90],
  ["45 deg + 1/8 turn", 90],
  ["(30 + 15) deg", 45],
  ["1,5", 1.5],
  ["sqrt(4)", 2],
  ["1e1", 10],
])("reads the angle %s", (text, degrees) => {
  expect(angle(text)).toBeCloseTo(degrees * DEGREE, 12);
});

it.each([
  ["150", 0.15],
  ["15 cm", 0.15],
  ["1/8 in", 0.003175],
  ["100 mm/2", 0.05],
])("reads the length %s", (text, metres) => {
  expect(length(text)).toBeCloseTo(metres, 12);
});

it.each([
  "abc",
  "",
  "1 2",
  "90 mm",
  "1/(8 deg)",
  "2 deg * 3 deg",
  "1/0",
  "45 deg + 1",
  "pi pi",
  ")",
])("refuses %s as an angle", (text) => expect(angle(text)).toBeUndefined());

it("reads speeds with or without their unit", () => {
  const speed = (text: string): number | undefined => readTyped(text, "angle", "mm", true)?.value;
  expect(speed("60")).toBeCloseTo(Math.PI / 3, 12);
  expect(speed("10 rpm")).toBeCloseTo(Math.PI / 3, 12);
  expect(speed("60 deg/s")).toBeCloseTo(Math.PI / 3, 12);
  expect(speed("2 rad/s")).toBe(2);
  expect(angle("10 rpm")).toBeUndefined();
});

it("says a value again in the unit that was typed", () => {
  expect(readTyped("1/4 turn", "angle", "mm")!.unit).toBe("turn");
  expect(inUnit(Math.PI / 2, "angle", "mm", "turn")).toBe("0.25 turn");
  expect(inUnit(2, "angle", "mm", "rad")).toBe("2 rad");
  expect(inUnit(0.0254, "length", "mm", "in")).toBe("1 in");
  expect(inUnit(Math.PI / 2, "angle", "mm", null)).toBe("90°");
});

it("leaves a unit that was typed to the file, and reads plain numbers in the field's unit", () => {
  const read = (text: string) => readFormula(text, "length", "mm");
  expect(read("150")).toBeCloseTo(0.15, 12);
  expect(read("1,5")).toBeCloseTo(0.0015, 12);
  expect(read("100/2")).toBeCloseTo(0.05, 12);
  expect(read("5 in")).toBe("5 in");
  expect(read(" −1,5 cm ")).toBe("-1.5 cm");
  expect(read("1/8 in")).toBe("1/8 in");
  expect(read("2*crank")).toBe("2*crank");
  expect(read("abc")).toBe("abc");
  expect(read("30 deg")).toBe("30 deg");
});
