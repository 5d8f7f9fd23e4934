import { expect, it } from "vitest";

import {
  asksFor,
  readValue,
  valueText,
  wantedText,
} from "../../../../src/ui/forces/signals/signal-value.ts";

it("writes values with their units", () => {
  expect(valueText([1.66], "m")).toBe("1.66 m");
  expect(valueText([0, -9.8066], "m/s²")).toBe("0, −9.81 m/s²");
  expect(valueText([-4.5e-14], "rad/s")).toBe("0 rad/s");
  expect(valueText([NaN], "m")).toBe("– m");
  expect(valueText([1, 2, 3, 4, 5], "")).toBe("1, 2, 3, …");
  expect(valueText(undefined, "m")).toBe("–");
});

it("reads values in the signal's unit or in another of the same kind", () => {
  expect(readValue("0.05", "force_signal", "m")).toBe(0.05);
  expect(readValue("5 cm", "force_signal", "m")).toBeCloseTo(0.05, 12);
  expect(readValue("90 deg", "force_signal", "rad")).toBeCloseTo(Math.PI / 2, 12);
  expect(readValue("1.5", "force_signal", "rad")).toBe(1.5);
  expect(readValue("5 deg", "force_signal", "m")).toBeNull();
  expect(readValue("5 cm", "scale_signal", "m")).toBeNull();
  expect(readValue("much", "force_signal", "m")).toBeNull();
});

it("asks for a number where one is needed", () => {
  expect(asksFor("force_signal", { unit: "m" })).toBe("Value [m]");
  expect(asksFor("delay_signal", { unit: "m" })).toBe("Delay [s]");
  expect(asksFor("freeze_signal", { unit: "m" })).toBeNull();
});

it("says what can be typed", () => {
  expect(wantedText("force_signal", "m")).toBe("Type a number in m, or one with a unit of length");
  expect(wantedText("force_signal", "rad/s")).toBe("Type a number in rad/s, without a unit");
  expect(wantedText("delay_signal", "m")).toBe("Type a number in s, without a unit");
  expect(wantedText("scale_signal", "m")).toBe("Type a number");
});
