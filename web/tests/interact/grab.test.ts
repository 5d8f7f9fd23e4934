import { describe, expect, it } from "vitest";

import {
  dragPlane,
  intersect,
  pairMotion,
  pinchShare,
  PointerGrab,
  type Ray,
  shortestTurn,
} from "../../src/interact/grab.ts";
import { dot, minus, rotate, rotationVector, type Three, unit } from "../../src/kernel/spatial.ts";

const eye: Three = [0, -5, 0];
const view: Three = [0, 1, 0];
const to = (point: Three): Ray => ({ origin: eye, direction: unit(minus(point, eye)) });
const close = (a: ArrayLike<number>, b: ArrayLike<number>): void =>
  Array.from(a).forEach((value, i) => expect(value).toBeCloseTo(b[i], 9));

describe("one pointer", () => {
  it("goes on from where it is after a pointer that did something else", () => {
    const grab = new PointerGrab([0, 0, 0], to([0, 0, 0]), view);
    close(grab.target(to([0.1, 0, 0])), [0.1, 0, 0]);
    grab.anchor(to([0.5, 0, 0.3]));
    close(grab.target(to([0.5, 0, 0.3])), [0.1, 0, 0]);
    close(grab.target(to([0.6, 0, 0.3])), [0.2, 0, 0]);
  });

  it("follows in the plane that faces the camera, without a jump at the start", () => {
    const point: Three = [0.1, 0.2, 0.3];
    // pressed a little beside the point, on the link's surface in front of it
    const grab = new PointerGrab(point, to([0.12, 0.15, 0.28]), view);
    close(grab.target(to([0.12, 0.15, 0.28])), point);
    const moved = grab.target(to([1, 0.2, 0.3]));
    expect(moved[1]).toBeCloseTo(0.2, 9);
    expect(moved[0]).toBeGreaterThan(0.8);
  });

  it("stays in the mechanism's own plane when that is planar and well seen", () => {
    const normal: Three = [0, -Math.SQRT1_2, Math.SQRT1_2];
    const grab = new PointerGrab([0, 0, 0], to([0, 0, 0]), view, { planeNormal: normal });
    const target = grab.target(to([0.4, 0, 0.5]));
    expect(dot(target, normal)).toBeCloseTo(0, 9);
    expect(grab.push(0.5, to([0.4, 0, 0.5]))).toEqual(target);
    // seen edge-on it would run away: the facing plane is taken instead
    close(dragPlane([0, 0, 0], view, [0, 0, 1]).normal, [0, -1, 0]);
    close(dragPlane([0, 0, 0], view, [0, 1, 0.1]).normal, unit([0, 1, 0.1]));
  });

  it("is pushed along the line of sight and goes on from there", () => {
    const grab = new PointerGrab([0, 0, 0], to([0, 0, 0]), view);
    const pushed = grab.push(Math.log(1.2), to([0, 0, 0]));
    close(pushed, [0, 1, 0]);
    close(grab.target(to([0, 0, 0])), pushed);
    expect(grab.target(to([0.5, 0, 0]))[1]).toBeCloseTo(1, 9);
  });

  it("keeps its last target when the ray misses the plane or runs to the horizon", () => {
    const grab = new PointerGrab([0, 0, 0], to([0, 0, 0]), view);
    const good = grab.target(to([0.5, 0, 0]));
    close(grab.target({ origin: eye, direction: [0, -1, 0] }), good);
    close(grab.target({ origin: eye, direction: unit([1, 1e-3, 0]) }), good);
  });

  it("turns about the view's axes, or about a planar mechanism's normal", () => {
    const grab = new PointerGrab([0, 0, 0], to([0, 0, 0]), view);
    close(rotate(grab.turn(Math.PI / 2, 0, [1, 0, 0], [0, 0, 1]), [1, 0, 0]), [0, 1, 0]);
    const planar = new PointerGrab([0, 0, 0], to([0, 0, 0]), view, { planeNormal: [0, 1, 0] });
    const quat = planar.turn(0.3, 0.9, [1, 0, 0], [0, 0, 1]);
    close(rotationVector([1, 0, 0, 0], quat), [0, 0.3, 0]);
    close(rotationVector([1, 0, 0, 0], planar.roll(-0.3, [0, 2, 0])), [0, 0, 0]);
  });
});

describe("two pointers", () => {
  it("carry a link as a rigid body", () => {
    const motion = pairMotion([0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 0, 1]);
    close(motion.place([0, 0, 0]), [2, 0, 0]);
    close(motion.place([1, 0, 0]), [2, 0, 1]);
    // fingers that spread do not stretch it
    const spread = pairMotion([0, 0, 0], [1, 0, 0], [-1, 0, 0], [2, 0, 0]);
    close(spread.rotation, [1, 0, 0, 0]);
    close(spread.place([1, 0, 0]), [1, 0, 0]);
  });

  it("turn by half without trouble", () => {
    const half = shortestTurn([1, 0, 0], [-1, 0, 0]);
    close(rotate(half, [1, 0, 0]), [-1, 0, 0]);
  });

  it("pinch pushes away, spreading pulls nearer", () => {
    expect(pinchShare(100, 50)).toBeGreaterThan(0);
    expect(pinchShare(50, 100)).toBeLessThan(0);
    expect(pinchShare(0, 10)).toBe(0);
  });
});

it("meets a plane only in front of the eye", () => {
  const plane = { point: [0, -6, 0], normal: [0, 1, 0] } as const;
  expect(intersect({ origin: eye, direction: view }, plane)).toBeNull();
});
