import { expect, it } from "vitest";

import { isWithin, PointSet, poseOf, shareWithin } from "../../../src/store/workspace/points.ts";
import { pieceOf } from "../pieces.ts";

it("fills up piece by piece", () => {
  const set = new PointSet();
  set.begin(3, 2);
  set.add(pieceOf([1, 2, 3], [7]));
  set.add(pieceOf([4, 5, 6, 7, 8, 9], [8, 10], [0.5, 0.25]));
  expect(set.count).toBe(3);
  expect([...set.xyz]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect([...set.groups]).toEqual([1, 0, 0]);
  expect([...set.values]).toEqual([0, 0.5, 0.25]);
  expect(poseOf(7, 2)).toEqual({ pose: 3, group: 1 });
});

it("takes no more than there is room for", () => {
  const set = new PointSet();
  set.begin(1, 1);
  set.add(pieceOf([1, 2, 3, 4, 5, 6], [0, 1], [3, 4]));
  set.add(pieceOf([1, 2, 3], [2]));
  expect(set.count).toBe(1);
  expect([...set.values]).toEqual([3]);
});

it("reports when arrays and when values change", () => {
  const set = new PointSet();
  set.begin(2, 1);
  const { generation, revision } = set;
  set.add(pieceOf([0, 0, 0, 1, 1, 1], [0, 1], [NaN, NaN]));
  expect([set.generation, set.revision]).toEqual([generation, revision]);
  const data = new DataView(new Float32Array([5, 6]).buffer);
  set.setValues({ request: 1, head: { kind: "values", count: 2, ends: [5, 6] }, data });
  expect([...set.values]).toEqual([5, 6]);
  expect(set.revision).toBeGreaterThan(revision);
  set.clear();
  expect(set.count).toBe(0);
  expect(set.generation).toBeGreaterThan(generation);
});

it("knows which share of the points lies within planes", () => {
  const set = new PointSet();
  set.begin(4, 1);
  set.add(pieceOf([0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0], [0, 1, 2, 3]));
  const planes = [1, 0, 0, -0.5, -1, 0, 0, 2.5]; // 0.5 ≤ x ≤ 2.5
  expect(isWithin(planes, 0.4, 0, 0)).toBe(false);
  expect(shareWithin(set, planes)).toBe(0.5);
  expect(shareWithin(set, planes, 2)).toBe(0.5);
  expect(shareWithin(new PointSet(), planes)).toBe(0);
});
