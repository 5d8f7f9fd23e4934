import { Matrix4, PerspectiveCamera, Vector3 } from "three";
import { describe, expect, it } from "vitest";

import {
  freePlace,
  halfOf,
  isHidden,
  placesOf,
  type Sight,
  type Standing,
} from "../../../src/xr/panels/places.ts";

const SIZE = [0.42, 0.42] as const;
const sight = (half: readonly [number, number] = [1, 1]): Sight => ({
  place: new Vector3(0.3, -0.2, 1.6),
  ahead: new Vector3(0.6, 0.8, 0),
  ...{ along: new Vector3(0.6, 0.8, 0), half },
});
const at = (X_RP: Matrix4): Standing => ({ X_RP, size: SIZE });
/** Corners of a panel, as seen: how far from straight ahead to the side, and up [rad]. */
function corners({ place, ahead }: Sight, X: Matrix4): { side: number; up: number }[] {
  return [-1, 1].flatMap((x) =>
    [-1, 1].map((y) => {
      const way = new Vector3((x * SIZE[0]) / 2, (y * SIZE[1]) / 2, 0).applyMatrix4(X).sub(place);
      const side = Math.atan2(way.y, way.x) - Math.atan2(ahead.y, ahead.x);
      return { side, up: Math.atan2(way.z, Math.hypot(way.x, way.y)) };
    }),
  );
}

describe("places of panels", () => {
  const eyes = sight();
  const places = placesOf(eyes, SIZE);

  it("face the eyes at arm's length, none farther aside than 60°", () => {
    expect(places).toHaveLength(6);
    for (const X of places) {
      const toEyes = eyes.place.clone().sub(new Vector3().setFromMatrixPosition(X));
      expect(toEyes.length()).toBeCloseTo(0.7, 9);
      const face = new Vector3(0, 0, 1).transformDirection(X);
      expect(face.angleTo(toEyes)).toBeLessThan(1e-6);
      for (const { side } of corners(eyes, X)) expect(Math.abs(side)).toBeLessThan(Math.PI / 3);
    }
  });

  it("are beside each other without covering one another", () => {
    for (const [i, a] of places.entries())
      for (const b of places.slice(i + 1)) expect(isHidden(eyes, at(a), at(b))).toBe(false);
    expect(isHidden(eyes, at(places[0]), at(places[0]))).toBe(true);
  });

  it("are taken where they are free: a panel that was closed leaves its own", () => {
    const [first, second] = places;
    const open = [at(first), at(second)];
    const third = freePlace(eyes, SIZE, open)!;
    expect(open.some((one) => isHidden(eyes, at(third), one))).toBe(false);
    // the first one is closed: its place is the next
    expect(freePlace(eyes, SIZE, [at(second), at(third)])!.equals(first)).toBe(true);
    expect(freePlace(eyes, SIZE, places.map(at))).toBeNull();
  });

  it("do not depend on what is behind the user", () => {
    const away = { ...eyes, ahead: eyes.ahead.clone().negate() };
    const all = placesOf(away, SIZE).map(at);
    expect(freePlace(eyes, SIZE, all)!.equals(places[0])).toBe(true);
  });

  it("are inside the picture of a phone, of which there is one", () => {
    const camera = new PerspectiveCamera(65, 0.5, 0.01, 10);
    camera.updateProjectionMatrix();
    const phone = sight(halfOf(camera.projectionMatrix.elements));
    phone.along = new Vector3(0.6, 0.8, -0.5).normalize();
    const [only, ...others] = placesOf(phone, SIZE);
    expect(others).toHaveLength(0);
    camera.up.set(0, 0, 1);
    camera.position.copy(phone.place);
    camera.lookAt(phone.place.clone().add(phone.along));
    camera.updateMatrixWorld();
    for (const x of [-1, 1])
      for (const y of [-1, 1]) {
        const corner = new Vector3((x * SIZE[0]) / 2, (y * SIZE[1]) / 2, 0).applyMatrix4(only);
        const seen = corner.project(camera);
        expect(Math.max(Math.abs(seen.x), Math.abs(seen.y))).toBeLessThan(1);
      }
  });
});
