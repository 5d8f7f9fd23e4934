import { expect, it } from "vitest";
import { NodeColors, families } from "../../../src/store/simulation/node-colors.ts";
import { nodeOf } from "../../../src/view/world/node-colors.ts";

const signal = (name: string, unit: string, size = 1) => ({
  ...{ name, unit, size, writer: "", override: "" },
});
const TABLE = [
  signal("a.position", "rad"),
  signal("a.temperature", "°C"),
  signal("b.temperature", "°C"),
  signal("imu.rate", "rad/s", 3),
  signal("cart.load", "kg"),
];

it("groups numbers of nodes by what they are; those of people come first", () => {
  expect(families(TABLE).map(({ name, unit, signals }) => [name, unit, signals.size])).toEqual([
    ["load", "kg", 1],
    ["temperature", "°C", 2],
    ["position", "rad", 1],
  ]);
});

it("gives every node its share of a scale that grows", () => {
  const colors = new NodeColors(
    () => TABLE,
    () => undefined,
  );
  colors.choose("temperature [°C]");
  const frame = Float64Array.of(0, 20, 50, 0, 0, 0, 2);
  expect(colors.shares(frame).get("b")).toEqual({ value: 50, share: 0.5 });
  expect(colors.range).toEqual([20, 80]);
  expect(colors.shares(Float64Array.of(0, 20, 140, 0, 0, 0, 2)).get("b")?.share).toBe(1);
  expect(colors.range).toEqual([20, 140]);
  colors.choose("load [kg]");
  expect(colors.shares(frame).get("cart")).toEqual({ value: 2, share: 0.5 });
  // of a frame that belongs to another table nothing is known
  expect(colors.shares(frame.subarray(1)).size).toBe(0);
});

it("shows the value of a robot on all its links", () => {
  const has = (node: string): boolean => node === "cart";
  expect(nodeOf("cart.wheel", has)).toBe("cart");
  expect(nodeOf("cartoon", has)).toBeNull();
});
