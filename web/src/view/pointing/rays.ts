// Where a pointer points: rays in the world, and where they meet planes, lines and links.
import {
  type Face,
  Plane,
  Raycaster,
  type Object3D,
  Ray,
  type Vector2,
  Vector3,
  type Camera,
  type Group,
} from "three";
import type { Point } from "../spaces.ts";

/** A place of a link under the pointer. */
export interface Hit {
  link: number;
  /** In the link's frame [m]. */
  point: [number, number, number];
  /** In the world [m]. */
  at: [number, number, number];
  object: Object3D;
}

const raycaster = new Raycaster();

/** A place of a picture, and the camera that sees it. */
export interface Aim {
  /** -1…1, y up. */
  clip: Vector2;
  eye: Camera;
}

/** The ray of a pixel in world coordinates (z up). */
export function worldRay({ clip, eye }: Aim, root: Group): Ray {
  raycaster.setFromCamera(clip, eye);
  return raycaster.ray.clone().applyMatrix4(root.matrixWorld.clone().invert());
}

/** A ray as plain arrays. */
export const plainRay = (ray: Ray) => ({
  origin: ray.origin.toArray(),
  direction: ray.direction.toArray(),
});

/** The nearest of some objects under a pixel, and where, in world coordinates. */
export function castRay(
  { clip, eye }: Aim,
  root: Group,
  objects: Object3D[],
): { object: Object3D; at: Vector3; distance: number; face: Face | null } | null {
  raycaster.setFromCamera(clip, eye);
  const [first] = raycaster.intersectObjects(objects, true);
  if (!first) return null;
  const { object, point, distance, face } = first;
  return { object, at: root.worldToLocal(point), distance, face: face ?? null };
}

/** Where a ray meets the plane through a point; null where it runs along or away from it. */
export function onPlane(ray: Ray, through: Point, normal: Vector3): Vector3 | null {
  const plane = new Plane().setFromNormalAndCoplanarPoint(normal, new Vector3(...through));
  return ray.intersectPlane(plane, new Vector3());
}

/** How far along a line the place lies that is nearest to the ray; null where both are parallel. */
export function alongLine(ray: Ray, through: Vector3, direction: Vector3): number | null {
  const cosine = ray.direction.dot(direction);
  const determinant = 1 - cosine * cosine;
  if (determinant < 1e-4) return null;
  const way = through.clone().sub(ray.origin);
  return (cosine * way.dot(ray.direction) - way.dot(direction)) / determinant;
}

/** The angle about an axis at which a ray meets its plane, from a zero direction [rad]. */
export function aroundAxis(ray: Ray, centre: Vector3, axis: Vector3, zero: Vector3): number | null {
  const place = onPlane(ray, centre.toArray(), axis);
  if (!place) return null;
  const way = place.sub(centre);
  return Math.atan2(new Vector3().crossVectors(zero, way).dot(axis), zero.dot(way));
}
