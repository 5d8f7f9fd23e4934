import { describe, expect, it } from "vitest";
import { NAMED_VALUES, placeOf } from "../../../src/ui/editor/place.ts";
import { keyInfo, keysOf } from "../../../src/ui/editor/schema.ts";

describe("the place of the cursor", () => {
  it("is the top level at the line's beginning", () => {
    expect(placeOf("raff: 1\nna")).toMatchObject({ group: "", key: null, present: ["raff"] });
  });

  it("is a joint's row inside its braces", () => {
    const place = placeOf("raff: 1\njoints:\n  - {name: A, pa");
    expect(place).toEqual({ group: "joints", key: null, present: ["name"] });
  });

  it("is behind a key after its colon", () => {
    expect(placeOf("joints:\n  - {name: A, parent: ")).toMatchObject({
      group: "joints",
      key: "parent",
    });
    expect(placeOf("joints:\n  - {name: A, limits: [0, ")).toMatchObject({ key: "limits" });
  });

  it("follows nested braces, over lines and comments", () => {
    const text = "joints: # {not this}\n  - {name: C, parent: B,\n     closes: {onto: D, ";
    expect(placeOf(text)).toEqual({ group: "joints_closes", key: null, present: ["onto"] });
    expect(placeOf("joints:\n  - {name: A, motor: {tor")).toMatchObject({ group: "joints_motor" });
  });

  it("leaves closed braces again", () => {
    const text = "joints:\n  - {name: C, closes: {onto: D}, mo";
    expect(placeOf(text)).toMatchObject({ group: "joints", key: null });
  });

  it("knows that parameters have names of their own", () => {
    expect(placeOf("parameters: {crank: 1, ha")).toMatchObject({ group: NAMED_VALUES, key: null });
    expect(placeOf("parameters:\n  half: ")).toMatchObject({ group: NAMED_VALUES, key: "half" });
    expect(placeOf("parameters:\n  half: {value: 1, mi")).toMatchObject({ group: "parameters" });
  });
});

describe("the schema", () => {
  it("has the keys of each group", () => {
    expect(keysOf("").map((key) => key.name)).toContain("joints");
    expect(keyInfo("joints", "type")?.choices).toContain("prismatic");
    expect(keyInfo("joints", "parent")?.names).toBe(true);
    expect(keyInfo("joints", "d")?.number).toBe(true);
    expect(keyInfo("joints", "closes")?.inner).toBe("joints_closes");
  });
});
