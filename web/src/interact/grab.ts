// From pointer rays to targets: pure maths, world axes (z up), metres.
import type { Quat, Vec3 } from "../kernel/report.ts";
import {
  along,
  cross,
  dot,
  type Four,
  fromRotationVector,
  minus,
  multiply,
  rotate,
  scaled,
  type Three,
  unit,
} from "../kernel/spatial.ts";

export interface Ray {
  origin: Vec3;
  /** Unit length. */
  direction: Vec3;
}

export interface Plane {
  point: Vec3;
  /** Unit length. */
  normal: Vec3;
}

/** A plane seen more edge-on than this is no plane to drag in: sine of the angle. */
const EDGE_ON = 0.12;
/** Hits farther away than so many grab depths are cut off: near the horizon they run away. */
const FARTHEST = 20;

/** Where a ray meets a plane in front of its origin; null where it does not. */
export function intersect(ray: Ray, plane: Plane): Three | null {
  const slope = dot(ray.direction, plane.normal);
  if (Math.abs(slope) < 1e-9) return null;
  const t = dot(minus(plane.point, ray.origin), plane.normal) / slope;
  return t > 0 ? along(ray.origin, t, ray.direction) : null;
}

/** The plane to drag a point in: the mechanism's own if it is planar and well seen, else the one
 * that faces the camera. */
export function dragPlane(point: Vec3, view: Vec3, mechanism: Vec3 | null = null): Plane {
  if (mechanism !== null && Math.abs(dot(unit(mechanism), unit(view))) > EDGE_ON)
    return { point, normal: unit(mechanism) };
  return { point, normal: scaled(-1, unit(view)) };
}

/** One pointer that holds a point: follows it in a plane, pushes it, or turns it. */
export class PointerGrab {
  private plane: Plane;
  /** From the plane's hit to the point: the point does not jump under the pointer. */
  private offset: Three;
  private readonly farthest: number;
  private last: Three;

  constructor(
    point: Vec3,
    ray: Ray,
    view: Vec3,
    private readonly options: { planeNormal?: Vec3 | null; quat?: Quat | null } = {},
  ) {
    this.plane = dragPlane(point, view, options.planeNormal ?? null);
    this.last = [point[0], point[1], point[2]];
    this.offset = minus(point, intersect(ray, this.plane) ?? point);
    this.farthest = FARTHEST * Math.max(1e-6, Math.hypot(...minus(point, ray.origin)));
    this.quat = options.quat ? [...(options.quat as Four)] : [1, 0, 0, 0];
  }

  /** The rotation so far, wxyz. */
  quat: Four;

  /** Where the held point should be for the pointer's present ray. */
  target(ray: Ray): Three {
    const hit = intersect(ray, this.plane);
    if (hit !== null && Math.hypot(...minus(hit, ray.origin)) < this.farthest)
      this.last = along(hit, 1, this.offset);
    return this.last;
  }

  /** Stays where it is though the pointer has moved: from here on it follows again. */
  anchor(ray: Ray): void {
    this.offset = minus(this.last, intersect(ray, this.plane) ?? this.last);
  }

  /** Pushes the point away from the eye (or pulls it, negative) by a share of its depth. */
  push(share: number, ray: Ray): Three {
    const away = minus(this.last, ray.origin);
    // in its own plane a planar mechanism has no depth
    if (this.options.planeNormal) return this.last;
    const factor = Math.min(3, Math.max(0.3, Math.exp(share)));
    const moved = along(ray.origin, factor, away);
    this.plane = { ...this.plane, point: moved };
    this.last = moved;
    this.offset = minus(moved, intersect(ray, this.plane) ?? moved);
    return moved;
  }

  /** Turns it by a pointer motion [rad]: sideways about the view's up, up and down about its right. */
  turn(sideways: number, upwards: number, right: Vec3, up: Vec3): Four {
    const w = along(scaled(sideways, up), -upwards, right);
    // a planar mechanism turns about its normal alone
    const normal = this.options.planeNormal;
    const about = normal ? scaled(sideways, unit(normal)) : w;
    this.quat = multiply(fromRotationVector(about), this.quat);
    return this.quat;
  }

  /** Turns it about the line of sight, or any other axis [rad]. */
  roll(angle: number, axis: Vec3): Four {
    this.quat = multiply(fromRotationVector(scaled(angle, unit(axis))), this.quat);
    return this.quat;
  }
}

/** What two pointers on the same link do together. */
export interface PairMotion {
  /** To be applied to the rotation at the start, from the left. */
  rotation: Four;
  /** Where a point of the link that was at `from` goes. */
  place(from: Vec3): Three;
}

/** The rigid motion that takes the pair a0, b0 to a1, b1: middle to middle, turned about `view` by
 * as much as the line between them turned, and tilted with it. */
export function pairMotion(a0: Vec3, b0: Vec3, a1: Vec3, b1: Vec3): PairMotion {
  const before = minus(b0, a0);
  const after = minus(b1, a1);
  const middle0 = along(a0, 0.5, before);
  const middle1 = along(a1, 0.5, after);
  const rotation = shortestTurn(before, after);
  return {
    rotation,
    place: (from) => along(rotate(rotation, minus(from, middle0)), 1, middle1),
  };
}

/** The shortest rotation that turns one direction into the other. */
export function shortestTurn(from: Vec3, to: Vec3): Four {
  const a = unit(from);
  const b = unit(to);
  const axis = cross(a, b);
  const cosine = dot(a, b);
  if (cosine < -1 + 1e-12) {
    // half a turn: about anything perpendicular to it
    const other = unit(cross(a, Math.abs(a[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
    return [0, ...other];
  }
  const w = 1 + cosine;
  const length = Math.hypot(w, ...axis);
  return [w / length, axis[0] / length, axis[1] / length, axis[2] / length];
}

/** By how much a pinch pushes: fingers that spread bring the point nearer. */
export function pinchShare(before: number, after: number): number {
  return before > 0 && after > 0 ? -Math.log(after / before) : 0;
}
