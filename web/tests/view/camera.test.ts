import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import { OrbitCamera } from "../../src/view/camera.ts";
import { fromThree, toThree } from "../../src/view/spaces.ts";

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

describe("named views", () => {
  it("sees x to the right and z up from the front", () => {
    const made = camera();
    made.named("front", false);
    const [right, up, back] = made.basis();
    expect(right.x).toBeCloseTo(1, 12);
    expect(up.z).toBeCloseTo(1, 12);
    expect(back.y).toBeCloseTo(-1, 12);
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
