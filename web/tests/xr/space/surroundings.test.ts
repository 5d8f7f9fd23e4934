import { type Mesh, type Object3D, Vector3 } from "three";
import { describe, expect, it } from "vitest";

import { Surroundings } from "../../../src/xr/space/surroundings.ts";

/** What is there: sky, ground, shadow, and the parts of the stand. */
function partsOf({ group }: Surroundings): Object3D[] {
  const [sky, ground, shadow, stand] = group.children;
  return [sky!, ground!, shadow!, stand!];
}
const seen = (around: Surroundings): boolean[] => partsOf(around).map(({ visible }) => visible);
const head = new Vector3(0.4, -0.2, 1.6);

describe("what is around a mechanism", () => {
  it("is a stand from the floor to its foot, as wide as it is, where it is lifted", () => {
    const around = new Surroundings();
    around.place(head, new Vector3(1, 2, 0.9), 0.25);
    expect(seen(around)).toEqual([true, true, false, true]);
    const [sky, , , stand] = partsOf(around);
    expect(sky!.position.toArray()).toEqual([0.4, -0.2, 0]); // the sky is around the user
    expect(stand!.position.toArray()).toEqual([1, 2, 0]);
    const [top, column] = stand!.children as Mesh[];
    const upper = (part: Mesh): number => part.position.z + part.scale.y / 2;
    expect(upper(top!)).toBeCloseTo(0.9);
    expect(upper(column!)).toBeCloseTo(top!.position.z - top!.scale.y / 2);
    expect(column!.position.z - column!.scale.y / 2).toBeCloseTo(0);
    expect(top!.scale.x).toBeGreaterThan(0.25);
    expect(top!.scale.x).toBeLessThan(0.3);
  });

  it("is a shadow under what stands on the floor", () => {
    const around = new Surroundings();
    around.place(head, new Vector3(1, 2, 0), 2);
    expect(seen(around)).toEqual([true, true, true, false]);
    const [, , shadow] = partsOf(around);
    expect(shadow!.position.distanceTo(new Vector3(1, 2, 0))).toBeLessThan(0.01);
    expect(shadow!.scale.x).toBe(8);
  });

  it("is a shadow alone where the real room is seen, also on a real table", () => {
    const around = new Surroundings();
    around.isReal = true;
    for (const height of [0, 0.74]) {
      around.place(head, new Vector3(1, 2, height), 0.25);
      expect(seen(around)).toEqual([false, false, true, false]);
      expect(partsOf(around)[2]!.position.z).toBeCloseTo(height, 2);
    }
  });

  it("is in nobody's way, and gone at the end", () => {
    const around = new Surroundings();
    const room = around.group.clone(false).add(around.group);
    const hits: never[] = [];
    around.group.traverse((part) => part.raycast({} as never, hits));
    expect(hits).toEqual([]);
    around.dispose();
    expect(room.children).toEqual([]);
  });
});
