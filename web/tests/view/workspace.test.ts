import { Matrix4, PerspectiveCamera, Vector3 } from "three";
import { expect, it } from "vitest";

import { isWithin, PointSet } from "../../src/store/workspace/points.ts";
import { PointPace } from "../../src/view/workspace/pace.ts";
import { pickPoint } from "../../src/view/workspace/pick-point.ts";
import { sidePlanes } from "../../src/view/workspace/point-material.ts";

function looking(): Matrix4 {
  const camera = new PerspectiveCamera(40, 2, 0.1, 100);
  camera.position.set(0, 0, 10);
  camera.updateMatrixWorld(true);
  return new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
}

function points(...places: [number, number, number][]): PointSet {
  const set = new PointSet();
  set.begin(places.length, 2);
  set.xyz.set(places.flat());
  places.forEach((_, i) => {
    set.tags[i] = i;
    set.groups[i] = i % 2;
  });
  set.count = places.length;
  return set;
}

it("finds the planes through the edges of the picture", () => {
  const clip = looking();
  const planes = sidePlanes(clip);
  expect(planes).toHaveLength(16);
  for (const place of [
    [0, 0, 0],
    [3, 1, 5],
    [7.2, 0, 0],
    [7.4, 0, 0],
    [0, 3.5, 0],
    [0, 3.8, 0],
  ]) {
    const seen = new Vector3(...place).applyMatrix4(clip);
    const isSeen = Math.abs(seen.x) <= 1 && Math.abs(seen.y) <= 1;
    expect(isWithin(planes, place[0], place[1], place[2])).toBe(isSeen);
  }
});

it("picks the point nearest to the eye", () => {
  const set = points([0, 0, 0], [0, 0, 2], [0.02, 0, 4], [3, 0, 0]);
  const view = {
    width: 800, height: 400, x: 400, y: 200, radius: 7, count: 4,
    hidden: new Set<number>(), without: null,
  }; // prettier-ignore
  const pick = (change: object) =>
    pickPoint(set, looking().elements, { ...view, ...change })?.index ?? null;
  expect(pick({})).toBe(2);
  expect(pick({ radius: 0.5 })).toBe(1);
  expect(pick({ count: 1 })).toBe(0);
  expect(pick({ hidden: new Set([0]) })).toBe(1);
  expect(pick({ without: Float32Array.of(0, 0, 1, -3) })).toBe(1);
  expect(pick({ isShown: (_x: number, _y: number, z: number) => z < 1 })).toBe(0);
  expect(pick({ x: 50 })).toBe(null);
});

it("draws as many points as do not make pictures slow", () => {
  // pictures that take 10 ms and 0.5 ms more for every thousand points
  const slow = new PointPace(300_000);
  for (let i = 0; i < 200; i++) slow.learn(0.01 + 5e-7 * slow.moving, slow.moving);
  expect(0.01 + 5e-7 * slow.moving).toBeLessThan(0.035);
  expect(slow.moving).toBeGreaterThan(20_000);
  expect(slow.resting).toBe(300_000);
  // points that cost nothing are all drawn
  const quick = new PointPace(300_000);
  for (let i = 0; i < 200; i++) quick.learn(1 / 60, quick.moving);
  expect(quick.moving).toBe(300_000);
  // where pictures are slow without them, points are not to blame
  const heavy = new PointPace(300_000);
  for (let i = 0; i < 400; i++) heavy.learn(0.1 + 1e-7 * heavy.moving, heavy.moving);
  expect(heavy.moving).toBeGreaterThan(100_000);
  // a pause teaches nothing
  const before = quick.moving;
  quick.learn(30, 300_000);
  expect(quick.moving).toBe(before);
});
