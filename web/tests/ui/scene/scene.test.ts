import { expect, it } from "vitest";

import { deviceLabel, deviceNote } from "../../../src/ui/scene/devices/devices.ts";
import { meshScale } from "../../../src/ui/scene/objects/mesh-scale.ts";
import { nearestTool } from "../../../src/ui/scene/objects/actions.ts";
import { roomFor, shapeSizes, withSize } from "../../../src/ui/scene/objects/objects.ts";
import { beside, robotsOf } from "../../../src/ui/scene/robots/robots.ts";
import type { PageModel } from "../../../src/kernel/page-model.ts";
import type { ModelData } from "../../../src/wire/messages.ts";

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer;

/** A binary STL of one triangle with a leg of some length. */
function stl(length: number): ArrayBuffer {
  const data = new DataView(new ArrayBuffer(84 + 50));
  data.setUint32(80, 1, true);
  data.setFloat32(84 + 4 * 6, length, true);
  return data.buffer;
}

it("recognises drawings in millimetres by their size", () => {
  expect(meshScale("a.stl", stl(300), 0.4)).toBe(0.001);
  expect(meshScale("a.STL", stl(0.3), 0.4)).toBe(1);
  expect(meshScale("a.stl", bytes("solid x\n vertex 0 0 0\n vertex 0 300 0\n"), 0.4)).toBe(0.001);
  expect(meshScale("a.obj", bytes("v 0 0 0\nv 0 0 250\nvn 0 0 1\n"), 0.4)).toBe(0.001);
  // glTF is in metres by its own rules
  expect(meshScale("a.glb", stl(300), 0.4)).toBe(1);
  expect(meshScale("a.obj", bytes("nothing"), 0.4)).toBe(1);
});

it("sizes of plain bodies can be changed one by one", () => {
  expect(shapeSizes({ box: [1, 2, 3] }).map((one) => one.label)).toEqual([
    "length",
    "width",
    "height",
  ]);
  expect(withSize({ box: [1, 2, 3], xyz: [0, 0, 1] }, 1, 5)).toEqual({
    box: [1, 5, 3],
    xyz: [0, 0, 1],
  });
  expect(withSize({ sphere: 1 }, 0, 2)).toEqual({ sphere: 2 });
  expect(shapeSizes({ mesh: "a.stl" })).toEqual([]);
  expect(shapeSizes("a.stl")).toEqual([]);
});

// base, a robot's base turned by a quarter about z, its arm; frames 'hand' and 'left.tool'
const data = {
  links: ["base", "left", "left.A"],
  joints: [
    { name: "left", parent: 0, child: 1, on: "base" },
    { name: "left.A", parent: 1, child: 2, on: "left" },
  ],
  robots: ["left"],
  frames: [{ name: "hand" }, { name: "left.camera" }, { name: "left.tool" }],
} as unknown as ModelData;
const half = Math.SQRT1_2;
const poses = Float64Array.from([
  [1, 0, 0, 0, 0, 0, 0],
  [half, 0, 0, half, 0, 2, 0],
  [1, 0, 0, 0, 0, 2, 1],
  [1, 0, 0, 0, 5, 0, 0],
  [1, 0, 0, 0, 0, 0, 0],
  [1, 0, 0, 0, 0, 3, 0],
].flat()); // prettier-ignore
const model = { data, linkCount: 3, siteCount: 6, size: 1 } as unknown as PageModel;

it("robots are known by their names and stand where their base is", () => {
  const [robot, ...others] = robotsOf(data);
  expect(others).toEqual([]);
  expect([robot.name, robot.parent]).toEqual(["left", "base"]);
  expect(robot.pose(poses)).toEqual([half, 0, 0, half, 0, 2, 0]);
  expect(beside(model, poses)).toEqual([0, 4.2, 0]);
});

it("the nearest robot's tool takes an object", () => {
  expect(nearestTool(model, poses, [4, 0, 0])).toBe("hand");
  // its camera would be nearer, but is not the last frame
  expect(nearestTool(model, poses, [0, 0.5, 0])).toBe("left.tool");
  expect(nearestTool({ data: { frames: [] } as never, linkCount: 3 }, poses, [0, 0, 0])).toBeNull();
});

it("objects come beside the last frame and each other", () => {
  expect(roomFor(model, poses, 0)).toEqual([0, 3.6, 0]);
  expect(roomFor(model, poses, 1)[1]).toBeGreaterThan(3.6);
});

it("devices say what they move", () => {
  const note = (type: string, isConnected: boolean, change: object = {}, hid = true): string =>
    deviceNote(
      {
        device: { type, isConnected } as never,
        data: { scale: 1, rotation_scale: 1, ...change } as never,
        moves: "tool",
      },
      hid,
    );
  expect(note("gamepad", false)).toContain("plug it in");
  expect(note("gamepad", true, { scale: 0.5, rotation_scale: 2 })).toBe(
    "moves tool (0.5 ×, turns 2 ×)",
  );
  expect(note("spacemouse", false, {}, false)).toContain("Chromium");
  expect(note("mouse", true)).toContain("Ctrl");
  expect(deviceLabel("spacemouse")).toBe("SpaceMouse");
});
