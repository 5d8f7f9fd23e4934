import { expect, it } from "vitest";
import { count, placed } from "../../../src/ui/open/places.ts";

it("divides a problem into its place and its words", () => {
  expect(placed("a/arm.urdf:3:14: no link 'x'")).toEqual({
    place: "a/arm.urdf:3:14",
    message: "no link 'x'",
  });
  expect(placed("the table is empty")).toEqual({ place: "", message: "the table is empty" });
});

it("counts", () => {
  expect([count(1, "mesh", "meshes"), count(3, "mesh", "meshes")]).toEqual(["1 mesh", "3 meshes"]);
});
