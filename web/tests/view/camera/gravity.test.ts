// Which way is up: the floor in the picture is the floor of the simulation.
import { expect, it } from "vitest";
import type { Studio } from "../../../src/store/studio.ts";
import { upOf } from "../../../src/view/camera/gravity.ts";

/** A studio without a flat mechanism, with gravity as written in its text and as it acts. */
function studioWith(written: number[], acting: number[], floor: boolean): Studio {
  const model = { data: { planar: false, joints: [] }, part: () => written };
  const simulation = { settings: { floor }, gravity: acting };
  return { model, snapshot: null, simulation } as unknown as Studio;
}

it.each([
  // without a floor the picture stands as the mechanism does
  [[0, 0, -9.81], [0, -9.81, 0], false, [0, 0, 1]],
  [[0, -9.81, 0], [0, 0, 0], false, [0, 1, 0]],
  [[0, 0, 0], [0, 0, 0], false, [0, 0, 1]],
  // a floor is perpendicular to what acts; where nothing does, to what is written
  [[0, 0, -9.81], [0, -9.81, 0], true, [0, 1, 0]],
  [[0, 0, -9.81], [3, 0, -4], true, [-0.6, 0, 0.8]],
  [[0, -9.81, 0], [0, 0, 0], true, [0, 1, 0]],
  [[0, 0, 0], [0, 0, 0], true, [0, 0, 1]],
])("written %j, acting %j, floor %s: up is %j", (written, acting, floor, up) => {
  const found = upOf(studioWith(written, acting, floor)).toArray();
  found.forEach((x, i) => expect(x).toBeCloseTo(up[i]!, 9));
});
