import { Vector2, Vector3 } from "three";
import { expect, it, vi } from "vitest";

import { OrbitCamera } from "../../../src/view/camera/camera.ts";
import { ObjectDrag, type ObjectDragContext } from "../../../src/view/objects/object-drag.ts";
import { worldRoot } from "../../../src/view/spaces.ts";

const START = [1, 0, 0, 0, 0, 0, 0.2];
const event = (clientX: number, clientY: number, change: object = {}): PointerEvent =>
  ({ clientX, clientY, button: 0, shiftKey: false, altKey: false, ...change }) as PointerEvent;

function scene(change: object = {}, planeOf: () => Vector3 | null = () => null) {
  const camera = new OrbitCamera();
  camera.resize(800, 600);
  camera.fit([new Vector3(-1, -1, 0), new Vector3(1, 1, 1)], false);
  camera.named("iso", false);
  const studio = {
    readOnly: false,
    select: vi.fn(),
    notice: vi.fn(),
    scene: {
      objects: [{ name: "cup", pose: START, fixed: false, ...change }],
      pose: () => START,
      move: vi.fn(),
      place: vi.fn(async () => undefined),
    },
  };
  const aim = (x: number, y: number) => ({
    clip: new Vector2(x / 400 - 1, 1 - y / 300),
    eye: camera.camera,
  });
  const context = { studio, camera, root: worldRoot(), aim, invalidate: vi.fn() };
  const hit = () => ({ index: 0, at: [0, 0, 0.25] as [number, number, number] });
  const drag = new ObjectDrag(context as unknown as ObjectDragContext, { hit, planeOf });
  return { studio, drag };
}

it("an object is pulled over the floor and written once", () => {
  const { studio, drag } = scene();
  const held = drag.take(event(400, 300))!;
  held.move(event(401, 301));
  expect(studio.scene.move).not.toHaveBeenCalled(); // a click may shake
  held.move(event(460, 320));
  held.move(event(480, 330));
  const [name, pose] = studio.scene.move.mock.lastCall as [string, number[]];
  expect(name).toBe("cup");
  expect(Math.hypot(pose[4], pose[5])).toBeGreaterThan(1e-3);
  expect(pose[6]).toBeCloseTo(0.2, 12);
  expect(studio.scene.place).not.toHaveBeenCalled();
  held.end();
  expect(studio.scene.place).toHaveBeenCalledExactlyOnceWith("cup");
});

it("with Alt it leaves the floor; a flat mechanism's plane is kept", () => {
  const free = scene();
  const held = free.drag.take(event(400, 300, { altKey: true }))!;
  held.move(event(400, 200));
  expect((free.studio.scene.move.mock.lastCall as [string, number[]])[1][6]).toBeGreaterThan(0.21);
  const flat = scene({}, () => new Vector3(0, 1, 0));
  const other = flat.drag.take(event(400, 300))!;
  other.move(event(460, 220));
  expect((flat.studio.scene.move.mock.lastCall as [string, number[]])[1][5]).toBeCloseTo(0, 12);
});

it("a click selects; fixed objects and watchers leave the pointer to the camera", () => {
  const { studio, drag } = scene();
  drag.take(event(400, 300))!.end();
  expect(studio.select).toHaveBeenCalledExactlyOnceWith({ kind: "object", index: 0 });
  expect(studio.scene.place).not.toHaveBeenCalled();
  expect(drag.take(event(1, 1, { button: 2 }))).toBeNull();
  expect(scene({ fixed: true }).drag.take(event(400, 300))).toBeNull();
  studio.readOnly = true;
  expect(drag.take(event(400, 300))).toBeNull();
});
