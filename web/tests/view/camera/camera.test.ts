import { Quaternion, Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { OrbitCamera } from "../../../src/view/camera/camera.ts";
import { fromThree, toThree } from "../../../src/view/spaces.ts";

const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map(
  (i) => new Vector3(i & 1 ? 2 : 1, i & 2 ? 0.3 : -0.3, i & 4 ? 1.5 : 0),
);
const seen = (camera: OrbitCamera, p: Vector3) => toThree(p.toArray()).project(camera.camera);

function camera(): OrbitCamera {
  const made = new OrbitCamera();
  made.resize(1280, 720);
  return made;
}

describe("spaces", () => {
  it("turns z up into y up and back", () => {
    expect(toThree([1, 2, 3]).toArray()).toEqual([1, 3, -2]);
    expect(fromThree(toThree([1, 2, 3]))).toEqual([1, 2, 3]);
  });
});

describe("fit", () => {
  it.each([
    [-55, 24],
    [-90, 90],
    [10, -30],
  ])("shows everything, well filled, from azimuth %d and elevation %d", (azimuth, elevation) => {
    const made = camera();
    made.fit(CORNERS, false, [azimuth, elevation]);
    const places = CORNERS.map((p) => seen(made, p));
    const far = Math.max(...places.map((p) => Math.max(Math.abs(p.x), Math.abs(p.y))));
    expect(far).toBeLessThan(0.9);
    expect(far).toBeGreaterThan(0.6);
    for (const p of places) expect(Math.abs(p.z)).toBeLessThan(1);
  });
});

describe("fit beside tools", () => {
  const all = [0, 24, 60].map((elevation) => [-55, elevation] as [number, number]);
  it.each(all)("leaves what tools cover free, from azimuth %d and elevation %d", (...view) => {
    const made = camera();
    made.covered = () => ({ top: 0.2, bottom: 0.3 });
    made.fit(CORNERS, false, view);
    const heights = CORNERS.map((p) => seen(made, p).y);
    expect(Math.max(...heights)).toBeLessThan(1 - 2 * 0.2);
    expect(Math.min(...heights)).toBeGreaterThan(2 * 0.3 - 1);
    // as large as it fits between them
    expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThan(0.8);
  });

  it("draws back until what stands beside is not cut off, but does not move aside for it", () => {
    const [plain, made] = [camera(), camera()];
    plain.fit(CORNERS, false, [-55, 24]);
    const at = new Vector3(1.5, 0, 0.75);
    made.fit(CORNERS, false, [-55, 24], (right) => [at.clone().addScaledVector(right, -9)]);
    expect(made.eye.target).toEqual(plain.eye.target);
    const [right] = made.basis();
    expect(seen(made, at.clone().addScaledVector(right, -9)).x).toBeGreaterThan(-1);
    made.fit(CORNERS, false, [-55, 24], (right) => [at.clone().addScaledVector(right, -0.1)]);
    expect(made.eye.distance).toBeCloseTo(plain.eye.distance, 12);
  });
});

describe("named views", () => {
  it("sees x to the right and z up from the front", () => {
    const made = camera();
    made.named("front", false);
    const [right, up, back] = made.basis();
    expect(right.x).toBeCloseTo(1, 12);
    expect(up.z).toBeCloseTo(1, 12);
    expect(back.y).toBeCloseTo(-1, 12);
  });

  it("counts from what is up: under gravity along y the front is where z comes from", () => {
    const made = camera();
    made.upright.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(0, 1, 0));
    made.named("front", false);
    const [right, up, back] = made.basis();
    expect(right.x).toBeCloseTo(1, 12);
    expect(up.y).toBeCloseTo(1, 12);
    expect(back.z).toBeCloseTo(1, 12);
    made.from(new Vector3(1, 0, 0), false);
    expect(made.basis()[2].x).toBeCloseTo(1, 12);
  });

  it("sees y up from the top", () => {
    const made = camera();
    made.named("top", false);
    const [right, up] = made.basis();
    expect(right.x).toBeCloseTo(1, 12);
    expect(up.y).toBeCloseTo(1, 12);
  });

  it("goes there smoothly, by the short way round", () => {
    const made = camera();
    made.eye.azimuth = 3;
    made.goTo({ azimuth: -3 });
    expect(made.advance(0.1)).toBe(true);
    expect(made.eye.azimuth).toBeGreaterThan(3);
    while (made.advance(0.1));
    expect(made.eye.azimuth).toBeCloseTo(2 * Math.PI - 3, 12);
  });
});

describe("facing", () => {
  it.each([
    [0, 0, 1],
    [0, 1, 0],
    [0, -1, 0],
  ])("leads right, away and up in the picture, with up along %d %d %d", (...up) => {
    const made = camera();
    made.upright.setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...up));
    made.orbit(0.8, 0);
    const [w, x, y, z] = made.facing();
    const axes = [0, 1, 2].map((i) =>
      new Vector3().setComponent(i, 1).applyQuaternion(new Quaternion(x, y, z, w)),
    );
    const [right, , back] = made.basis();
    expect(axes[0].distanceTo(right)).toBeLessThan(1e-12);
    expect(axes[1].dot(back)).toBeLessThan(-0.8);
    expect(axes[1].dot(new Vector3(...up))).toBeCloseTo(0, 12);
    expect(axes[2].distanceTo(new Vector3(...up))).toBeLessThan(1e-12);
  });
});

describe("moving", () => {
  it("zooms towards what is under the pointer", () => {
    const made = camera();
    made.extent = 1;
    made.eye = { ...made.eye, target: [0, 0, 0], distance: 3 };
    made.orbit(0, 0);
    const [right, up] = made.basis();
    const point = right.clone().multiplyScalar(0.4).addScaledVector(up, 0.2);
    const before = seen(made, point);
    made.zoom(0.7, before.x, before.y);
    const after = seen(made, point);
    expect(made.eye.distance).toBeCloseTo(2.1, 12);
    expect(after.x).toBeCloseTo(before.x, 9);
    expect(after.y).toBeCloseTo(before.y, 9);
  });

  it("stays above and below the poles", () => {
    const made = camera();
    made.orbit(0, 10);
    expect(made.eye.elevation).toBe(Math.PI / 2);
  });

  it("looks round from where it stands when it flies", () => {
    const made = camera();
    const before = made.camera.position.clone();
    made.fly(0, 0, 0, 0.3, 0.1);
    expect(made.camera.position.distanceTo(before)).toBeCloseTo(0, 12);
    made.fly(0, 0, 0.5);
    expect(made.camera.position.distanceTo(before)).toBeCloseTo(0.5, 12);
  });
});

describe("resize", () => {
  it("shows as much from side to side in a narrower picture", () => {
    const made = camera();
    made.fit(CORNERS, false, [-55, 24]);
    made.resize(500, 720);
    for (const p of CORNERS) expect(Math.abs(seen(made, p).x)).toBeLessThan(1);
    made.resize(1280, 720);
    const again = camera();
    again.fit(CORNERS, false, [-55, 24]);
    expect(made.eye.distance).toBeCloseTo(again.eye.distance, 9);
  });
});
