import { Matrix4, Vector3, Vector4 } from "three";
import { expect, it } from "vitest";
import { eyesOf, offAxis, screenOf, type View } from "../../../src/view/stereo/off-axis.ts";

/** A wall screen, 2 m wide and 1 m high, turned by 30° about the vertical axis. */
const turn = new Matrix4().makeRotationY(Math.PI / 6).setPosition(0.4, 1.2, -2);
const corner = (x: number, y: number): Vector3 => new Vector3(x, y, 0).applyMatrix4(turn);
const SCREEN = {
  lowerLeft: corner(-1, -0.5),
  lowerRight: corner(1, -0.5),
  upperLeft: corner(-1, 0.5),
};
const PAIR = { opening: 0.56, aspect: 1.6, depth: 3, eyeDistance: 0.063, screenWidth: 0.5 };

/** Where a place (w = 1) or direction (w = 0) is seen, -1…1. */
function seen({ position, quaternion, projection }: View, p: Vector3, w = 1): Vector3 {
  const place = new Matrix4().compose(position, quaternion, new Vector3(1, 1, 1)).invert();
  const q = new Vector4(p.x, p.y, p.z, w).applyMatrix4(place).applyMatrix4(projection);
  return new Vector3(q.x / q.w, q.y / q.w, q.z / q.w);
}

it.each([new Vector3(0, 1.2, 1), new Vector3(-0.8, 1.9, 0.3), new Vector3(1.5, 0.2, 2)])(
  "the corners of a screen are the corners of the picture of any eye before it",
  (eye) => {
    const view = offAxis(eye, SCREEN, 0.01, 100)!;
    for (const [x, y] of [
      [-1, -1],
      [1, -1],
      [-1, 1],
      [1, 1],
    ]) {
      const at = seen(view, corner(x, y / 2));
      // rounding of a few operations with numbers of size 1
      expect(at.x).toBeCloseTo(x, 12);
      expect(at.y).toBeCloseTo(y, 12);
    }
    // a place behind the screen is seen where the line from the eye to it passes the screen
    const through = corner(0.3, -0.2);
    const behind = eye.clone().lerp(through, 4);
    expect(
      seen(view, behind).distanceTo(seen(view, through).setZ(seen(view, behind).z)),
    ).toBeLessThan(1e-12);
  },
);

it("near and far plane are -1 and 1, and an eye behind the screen sees nothing", () => {
  const view = offAxis(new Vector3(0, 0, 2), screenOf(PAIR), 0.5, 40)!;
  expect(seen(view, new Vector3(0.1, 0.2, 1.5)).z).toBeCloseTo(-1, 12);
  expect(seen(view, new Vector3(0.1, 0.2, -38)).z).toBeCloseTo(1, 12);
  expect(offAxis(new Vector3(0, 0, -3.1), screenOf(PAIR), 0.5, 40)).toBeNull();
});

it("disparity: none at the depth of the screen, the distance of the eyes at infinity", () => {
  const [left, right] = eyesOf(PAIR, 0.01, 100);
  /** On the screen [m]; positive: behind it. */
  const disparity = (p: Vector3, w = 1): number =>
    ((seen(right, p, w).x - seen(left, p, w).x) / 2) * PAIR.screenWidth;
  expect(disparity(new Vector3(0.4, -0.3, -PAIR.depth))).toBeCloseTo(0, 12);
  expect(disparity(new Vector3(0.1, 0.05, -1), 0)).toBeCloseTo(PAIR.eyeDistance, 12);
  // closed form: e (z - d) / z
  for (const z of [1.5, 2, 4, 12])
    expect(disparity(new Vector3(0, 0, -z))).toBeCloseTo(
      (PAIR.eyeDistance * (z - PAIR.depth)) / z,
      12,
    );
  // no vertical disparity anywhere
  const p = new Vector3(0.5, 0.4, -1.7);
  expect(seen(left, p).y).toBeCloseTo(seen(right, p).y, 12);
});
