import { expect, it } from "vitest";
import { isLog, logFacts } from "../../../src/ui/open/log-file.ts";

const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];
const word = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >> shift) & 255);
const string = (text: string): number[] => [...word(bytes(text).length), ...bytes(text)];
const record = (kind: number, content: number[]): number[] => [
  ...[kind, ...word(content.length), 0, 0, 0, 0],
  ...content,
];
const metadata = (name: string, facts: [string, string][]): number[] => {
  const map = facts.flatMap(([key, value]) => [...string(key), ...string(value)]);
  return record(0x0c, [...string(name), ...word(map.length), ...map]);
};

it("finds the world of an MCAP log behind other records", async () => {
  const file = new Blob([
    Uint8Array.from([
      ...[0x89, ...bytes("MCAP0\r\n")],
      ...record(1, string("")),
      ...record(
        6,
        Array.from({ length: 300 }, () => 7),
      ),
      ...metadata("other", [["world", "no"]]),
      ...metadata("kinegen", [
        ["world", "room"],
        ["text", "raff: 1"],
      ]),
    ]),
  ]);
  expect(await logFacts(file)).toEqual({ world: "room", text: "raff: 1" });
  expect(await logFacts(file.slice(0, 60))).toEqual({});
});

it("tells logs from tables of parameters", async () => {
  expect(await isLog(new File(["time [s],a"], "run.csv"))).toBe(true);
  expect(await isLog(new File(["joint,d"], "arm.csv"))).toBe(false);
  expect(await isLog(new File([""], "run.MCAP"))).toBe(true);
  expect(await isLog(new File([""], "run.raff"))).toBe(false);
});
