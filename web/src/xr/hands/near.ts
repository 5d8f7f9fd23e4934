// Surfaces that a hand can take: the nearest to it, and the first along its ray.
import { Matrix4, Mesh, type Object3D, Ray, Sphere, Vector3 } from "three";
import { Chunks } from "./chunks.ts";

export interface SurfaceHit {
  object: Mesh;
  /** On the surface, in three's scene. */
  place: Vector3;
  /** Out of the surface or into it; null where the hand came from the side. */
  normal: Vector3 | null;
  distance: number;
}

const sphere = new Sphere();
const inverse = new Matrix4();

/** The nearest surface of some objects within a distance of a place; null: none. */
export function nearest(
  objects: readonly Object3D[],
  from: Vector3,
  within: number,
): SurfaceHit | null {
  let best: SurfaceHit | null = null;
  eachMesh(objects, (object) => {
    const { matrixWorld, geometry } = object;
    const most = best?.distance ?? within;
    if (sphereOf(object).distanceToPoint(from) > most) return;
    const local = from.clone().applyMatrix4(inverse.copy(matrixWorld).invert());
    const place = Chunks.of(geometry)?.nearest(local, most / matrixWorld.getMaxScaleOnAxis());
    if (!place) return;
    place.applyMatrix4(matrixWorld);
    best = { object, place, normal: null, distance: place.distanceTo(from) };
  });
  return best;
}

/** The first surface that a ray meets within a distance; null: none. */
export function firstAlong(objects: readonly Object3D[], ray: Ray, far: number): SurfaceHit | null {
  let best: SurfaceHit | null = null;
  eachMesh(objects, (object) => {
    const { matrixWorld, geometry } = object;
    if (!ray.intersectsSphere(sphereOf(object))) return;
    const local = ray.clone().applyMatrix4(inverse.copy(matrixWorld).invert());
    const hit = Chunks.of(geometry)?.along(local);
    if (!hit) return;
    const place = hit.place.applyMatrix4(matrixWorld);
    const distance = place.distanceTo(ray.origin);
    if (distance >= (best?.distance ?? far)) return;
    best = { object, place, normal: hit.normal.transformDirection(matrixWorld), distance };
  });
  return best;
}

/** Looks into all meshes once, so that hands and rays find what they need when they come. */
export function prepare(objects: readonly Object3D[]): void {
  eachMesh(objects, ({ geometry }) => void Chunks.soon(geometry));
}

function eachMesh(objects: readonly Object3D[], call: (mesh: Mesh) => void): void {
  for (const root of objects)
    root.traverseVisible((object) => {
      if (object instanceof Mesh && object.geometry.getAttribute("position")) call(object);
    });
}

/** Around a mesh, in three's scene. */
function sphereOf({ geometry, matrixWorld }: Mesh): Sphere {
  if (geometry.boundingSphere === null) geometry.computeBoundingSphere();
  return sphere.copy(geometry.boundingSphere!).applyMatrix4(matrixWorld);
}
