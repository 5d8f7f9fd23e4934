import {
  BoxGeometry,
  Matrix4,
  Mesh,
  Quaternion,
  Ray,
  Raycaster,
  TorusKnotGeometry,
  Vector3,
} from "three";
import { describe, expect, it } from "vitest";

import type { Four } from "../../src/kernel/spatial.ts";
import { Hold } from "../../src/xr/hold.ts";
import { inPlane } from "../../src/xr/jobs.ts";
import { firstAlong, nearest } from "../../src/xr/near.ts";

const pose = (place: Vector3, axis: Vector3, angle: number, scale = 1): Matrix4 =>
  new Matrix4().compose(
    place,
    new Quaternion().setFromAxisAngle(axis.normalize(), angle),
    new Vector3(scale, scale, scale),
  );
const close = (a: ArrayLike<number>, b: ArrayLike<number>): void =>
  Array.from(a).forEach((value, i) => expect(value).toBeCloseTo(b[i], 9));

describe("a part in a hand", () => {
  const part = pose(new Vector3(1, 0, 0.5), new Vector3(0, 1, 1), 0.4);
  const point = new Vector3(0.1, 0.2, 0.3);
  const hand = pose(new Vector3(0.7, 0.1, 0.9), new Vector3(1, 2, 0), 1.1, 5);

  it("does not jump when it is taken, at any scale of the room", () => {
    const { position, quat } = new Hold(hand, part, point).target(hand);
    close(position, point.clone().applyMatrix4(part).toArray());
    const turn = new Quaternion().setFromRotationMatrix(part);
    close(quat, [turn.w, turn.x, turn.y, turn.z]);
  });

  it("follows the hand rigidly", () => {
    const motion = pose(new Vector3(0.2, -0.4, 0.1), new Vector3(0, 0, 1), 0.8);
    const { position } = new Hold(hand, part, point).target(motion.clone().multiply(hand));
    close(position, point.clone().applyMatrix4(motion.clone().multiply(part)).toArray());
  });

  it("goes along the ray when it is pushed, and no nearer than a hand's breadth", () => {
    const ray = new Matrix4();
    const hold = new Hold(ray, pose(new Vector3(0, 0, -2), new Vector3(1, 0, 0), 0), new Vector3());
    hold.push(Math.log(2));
    close(hold.target(ray).position, [0, 0, -4]);
    hold.push(-100);
    close(hold.target(ray).position, [0, 0, -0.05]);
  });

  it("of a flat mechanism stays in its plane and turns about its normal", () => {
    const normal = new Vector3(0, 0, 1);
    const start: Four = [1, 0, 0, 0];
    const tilt = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 0.5);
    const turn = new Quaternion().setFromAxisAngle(normal, 0.7).multiply(tilt);
    const quat: Four = [turn.w, turn.x, turn.y, turn.z];
    const at = new Vector3(0, 0, 0.2);
    const target = inPlane({ position: [0.3, 0.4, 0.9], quat }, normal, at, start);
    close(target.position, [0.3, 0.4, 0.2]);
    close(target.quat, [Math.cos(0.35), 0, 0, Math.sin(0.35)]);
  });
});

describe("the surface nearest to a hand", () => {
  const box = new Mesh(new BoxGeometry(2, 2, 2));
  box.position.set(5, 0, 0);
  box.scale.setScalar(0.5);
  box.updateMatrixWorld(true);

  it("is found on the face, not at a corner", () => {
    const hit = nearest([box], new Vector3(4.4, 0.2, 0.1), 0.2);
    close(hit!.place.toArray(), [4.5, 0.2, 0.1]);
    expect(hit!.distance).toBeCloseTo(0.1, 9);
  });

  it("is none beyond the distance, and none of what is hidden", () => {
    expect(nearest([box], new Vector3(4.2, 0, 0), 0.2)).toBeNull();
    box.visible = false;
    expect(nearest([box], new Vector3(4.4, 0, 0), 0.2)).toBeNull();
    box.visible = true;
  });
});

describe("the surface that a ray meets", () => {
  const knot = new Mesh(new TorusKnotGeometry(1, 0.3, 120, 16));
  knot.position.set(0, 4, 0);
  knot.scale.setScalar(1.5);
  knot.updateMatrixWorld(true);

  it("is the one that three.js finds, for many rays", () => {
    let met = 0;
    for (let i = 0; i < 60; i += 1) {
      const to = new Vector3(2 * Math.cos(7 * i), 4, 2 * Math.sin(3 * i));
      const ray = new Ray(new Vector3(0, -2, 0.3), to.sub(new Vector3(0, -2, 0.3)).normalize());
      const [known] = new Raycaster(ray.origin, ray.direction).intersectObject(knot);
      const found = firstAlong([knot], ray, 100);
      expect(found === null).toBe(known === undefined);
      if (!found) continue;
      met += 1;
      expect(found.distance).toBeCloseTo(known.distance, 6);
      expect(firstAlong([knot], ray, 0.9 * found.distance)).toBeNull();
    }
    expect(met).toBeGreaterThan(15);
  });
});
