import { describe, expect, it } from "vitest";
import { shapesFromSpec } from "../../src/shapes/spec.ts";

describe("shapesFromSpec", () => {
  it("turns a list into primitives with the looks of the link", () => {
    const bar = shapesFromSpec({ capsule: [0.1, 1] }, []);
    const shapes = shapesFromSpec(
      ["auto", { sphere: 0.2, xyz: [1, 2, 3] }, "arm.stl"],
      [{ ...bar[0], branch: 3, tone: 1 }],
    );
    expect(shapes.map((shape) => shape.kind)).toEqual(["capsule", "sphere", "mesh"]);
    expect(shapes[1]).toMatchObject({ radius: 0.2, translation: [1, 2, 3], branch: 3, tone: 1 });
  });

  it("draws nothing for 'none'", () => {
    expect(shapesFromSpec("none", [])).toEqual([]);
  });

  it("names what it cannot draw", () => {
    expect(() => shapesFromSpec({ xyz: [0, 0, 1] }, [])).toThrow("it has xyz");
  });
});
