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
import { describe, expect, it, vi } from "vitest";

import type { Four } from "../../../src/kernel/spatial.ts";
import { Hold, Tow } from "../../../src/xr/hands/hold.ts";
import { inPlane } from "../../../src/xr/hands/jobs.ts";
import { firstAlong, nearest, prepare } from "../../../src/xr/hands/near.ts";

const pose = (place: Vector3, axis: Vector3, angle: number, scale = 1): Matrix4 =>
  new Matrix4().compose(
    place,
    new Quaternion().setFromAxisAngle(axis.normalize(), angle),
    new Vector3(scale, scale, scale),
  );
const close = (a: ArrayLike<number>, b: ArrayLike<number>): void =>
  Array.from(a).forEach((value, i) => expect(value).toBeCloseTo(b[i], 9));

describe("something far away that eyes have chosen", () => {
  const eyes = new Vector3(0, 0, 1.6);
  const grip = pose(new Vector3(0.2, 0.3, 1.25), new Vector3(1, 0, 0), 0.4);
  const at = new Vector3(0, 5, 1.6);

  it("moves as far as the hand seems to move before it", () => {
    const tow = new Tow(grip, eyes, at);
    const start = tow.pose(grip);
    close(new Vector3().setFromMatrixPosition(start).toArray(), at.toArray());
    const reach = new Vector3(0.2, 0.3, 1.25).distanceTo(eyes);
    const moved = new Matrix4().makeTranslation(0.02, 0, 0.01).multiply(grip);
    const shift = new Vector3().setFromMatrixPosition(tow.pose(moved)).sub(at);
    close(shift.toArray(), [(0.02 * 5) / reach, 0, (0.01 * 5) / reach]);
  });

  it("turns on the spot when the hand turns", () => {
    const tow = new Tow(grip, eyes, at);
    const turn = pose(new Vector3(), new Vector3(0, 0, 1), 0.3);
    const turned = turn.clone().multiply(grip);
    turned.setPosition(new Vector3().setFromMatrixPosition(grip));
    const held = tow.pose(turned);
    close(new Vector3().setFromMatrixPosition(held).toArray(), at.toArray());
    const angle = new Quaternion()
      .setFromRotationMatrix(held)
      .angleTo(new Quaternion().setFromRotationMatrix(tow.pose(grip)));
    expect(angle).toBeCloseTo(0.3, 6);
  });

  it("moves with the hand where it is nearer than the hand", () => {
    const near = new Vector3(0, 0.2, 1.6);
    const tow = new Tow(grip, eyes, near);
    const moved = new Matrix4().makeTranslation(0.1, 0, 0).multiply(grip);
    const shift = new Vector3().setFromMatrixPosition(tow.pose(moved)).sub(near);
    close(shift.toArray(), [0.1, 0, 0]);
  });
});

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

  it("is not looked for in large meshes before they are prepared, between frames", async () => {
    const large = new Mesh(new TorusKnotGeometry(1, 0.3, 600, 40));
    large.updateMatrixWorld();
    const ray = new Ray(new Vector3(0.5, 0, 5), new Vector3(0, 0, -1));

    const hit = new Raycaster(ray.origin, ray.direction).intersectObject(large)[0];
    expect(firstAlong([large], ray, 100)).toBeNull();
    prepare([large]);
    await vi.waitFor(() => expect(firstAlong([large], ray, 100)).not.toBeNull(), 20_000);
    expect(firstAlong([large], ray, 100)!.distance).toBeCloseTo(hit.distance, 6);
  });

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
