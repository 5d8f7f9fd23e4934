// Joints of a bare hand: all at once, and some of them missing.
import { Matrix4 } from "three";
import { describe, expect, it } from "vitest";
import { Joints } from "../../../src/xr/hands/joints.ts";

const COUNT = 25;
const SPACES = Array.from({ length: COUNT }, (_, i) => ({ i }) as unknown as XRJointSpace);
const HAND = new Map(SPACES.map((space, i) => [i, space])) as unknown as XRHand;
const SPACE = {} as XRReferenceSpace;

/** A frame in which joint i is at (i + x, 0, 0), but for those that are missing. */
function frame(x: number, missing: readonly number[] = []): XRFrame {
  const at = (i: number): Matrix4 => new Matrix4().makeTranslation(i + x, 0, 0);
  const index = (joint: unknown): number => (joint as { i: number }).i;
  return {
    fillPoses: (spaces: readonly unknown[], _: unknown, poses: Float32Array) => {
      spaces.forEach((joint, k) => {
        const one = missing.includes(index(joint))
          ? new Array(16).fill(NaN)
          : at(index(joint)).elements;
        poses.set(one, 16 * k);
      });
      return missing.length === 0;
    },
    fillJointRadii: (_: unknown, radii: Float32Array) => {
      radii.fill(0.01);
      return true;
    },
  } as unknown as XRFrame;
}

const xs = (values: Float32Array | null): number[] | null =>
  values && SPACES.map((_, i) => values[4 * i]);
const ALL = SPACES.map((_, i) => i);

describe("joints", () => {
  it("are read with their radii, z up", () => {
    const joints = new Joints(HAND, new Matrix4().makeRotationX(Math.PI / 2));
    const values = joints.read(frame(0.5), SPACE)!;
    expect(xs(values)).toEqual(ALL.map((i) => i + 0.5));
    expect(values[7]).toBeCloseTo(0.01, 6);
  });

  it("that are missing for a while move along with their neighbours", () => {
    const joints = new Joints(HAND, new Matrix4());
    joints.read(frame(0), SPACE);
    expect(xs(joints.read(frame(2, [0, 9, 10]), SPACE))).toEqual(ALL.map((i) => i + 2));
    expect(xs(joints.read(frame(3, [9]), SPACE))).toEqual(ALL.map((i) => i + 3));
  });

  it("are not known where many are missing, until all have been there again", () => {
    const joints = new Joints(HAND, new Matrix4());
    expect(joints.read(frame(0, [9]), SPACE)).toBeNull();
    expect(joints.read(frame(0), SPACE)).not.toBeNull();
    expect(joints.read(frame(1, ALL), SPACE)).toBeNull();
    expect(joints.read(frame(1, [9]), SPACE)).toBeNull();
    expect(joints.read(frame(1), SPACE)).not.toBeNull();
  });

  it("are read one by one in browsers that cannot do better", () => {
    const old = {
      getJointPose: (joint: unknown) => ({
        transform: {
          matrix: new Matrix4().makeTranslation((joint as { i: number }).i, 0, 0).elements,
        },
      }),
    } as unknown as XRFrame;
    const values = new Joints(HAND, new Matrix4()).read(old, SPACE)!;
    expect(xs(values)).toEqual(ALL);
    expect(values[3]).toBeGreaterThan(0.001);
  });
});
