// Where the view looks from: an eye that goes around a target, in world coordinates.
import { Matrix4, PerspectiveCamera, Quaternion, Vector3 } from "three";
import { toThree } from "../spaces.ts";

export type ViewName = "front" | "back" | "left" | "right" | "top" | "bottom" | "iso";

/** Azimuth from x and elevation over the floor of the eye [deg]. */
const VIEWS: Record<ViewName, [number, number]> = {
  front: [-90, 0],
  back: [90, 0],
  left: [180, 0],
  right: [0, 0],
  top: [-90, 90],
  bottom: [-90, -90],
  iso: [-55, 24],
};
const DEGREE = Math.PI / 180;
/** How much of the picture is filled when everything is shown. */
const FILL = 0.78;
/** How near to the picture's edge may come what stands beside it. */
const EDGE = 0.94;
/** Pictures wider than this gain room at the sides only. */
const WIDE = 1.6;
/** Time of a smooth change of view [s]. */
const TRANSITION = 0.35;

export interface Eye {
  target: [number, number, number];
  /** [rad] */
  azimuth: number;
  elevation: number;
  /** From target to eye [m]. */
  distance: number;
}

export class OrbitCamera {
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  eye: Eye = { target: [0, 0, 0], azimuth: -55 * DEGREE, elevation: 24 * DEGREE, distance: 3 };
  /** Radius of what is to be seen [m]: near and far plane follow it. */
  extent = 1;
  /** Turns z into the direction that is up in the picture; azimuth and elevation count from it. */
  readonly upright = new Quaternion();
  /** Parts of the picture's height that tools cover: nothing is shown under them. */
  covered = (): { top: number; bottom: number } => ({ top: 0, bottom: 0 });
  /** Whether somebody has chosen what to see since everything was shown. */
  isHandled = false;
  private start: Eye | null = null;
  private to: Eye | null = null;
  private share = 1;

  constructor() {
    this.apply();
  }

  /** Directions to the right, up and towards the eye, in the world. */
  basis(eye = this.eye): [Vector3, Vector3, Vector3] {
    const [ca, sa] = [Math.cos(eye.azimuth), Math.sin(eye.azimuth)];
    const [ce, se] = [Math.cos(eye.elevation), Math.sin(eye.elevation)];
    return [
      new Vector3(-sa, ca, 0),
      new Vector3(-se * ca, -se * sa, ce),
      new Vector3(ce * ca, ce * sa, se),
    ].map((axis) => axis.applyQuaternion(this.upright)) as [Vector3, Vector3, Vector3];
  }

  /** The direction that is up in the picture, in the world. */
  get up(): Vector3 {
    return new Vector3(0, 0, 1).applyQuaternion(this.upright);
  }

  /** Rotation (wxyz) whose x, y, z are what is right, level away from the eye, and up. */
  facing(): [number, number, number, number] {
    const turn = new Quaternion();
    turn.setFromAxisAngle(new Vector3(0, 0, 1), this.eye.azimuth + Math.PI / 2);
    const { w, x, y, z } = turn.premultiply(this.upright);
    return [w, x, y, z];
  }

  /** A picture of another shape; a narrower one shows as much from side to side as before. */
  resize(width: number, height: number): void {
    const before = Math.min(WIDE, this.camera.aspect);
    this.camera.aspect = width / Math.max(1, height);
    const growth = before / Math.min(WIDE, this.camera.aspect);
    for (const eye of [this.eye, this.to]) if (eye) eye.distance *= growth;
    this.apply();
  }

  /** Turns the eye around the target by angles [rad]. */
  orbit(right: number, up: number): void {
    this.settle();
    this.eye.azimuth += right;
    this.eye.elevation = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.eye.elevation + up));
    this.apply();
  }

  /** Shifts the eye and its target in the image plane, in parts of the image's height. */
  pan(right: number, up: number): void {
    this.settle();
    this.isHandled = true;
    const scale = 2 * this.eye.distance * Math.tan((this.camera.fov * DEGREE) / 2);
    const [x, y] = this.basis();
    this.shift(x.multiplyScalar(right * scale).addScaledVector(y, up * scale));
  }

  /** Comes nearer (factor < 1) or goes away; the point under (x, y), -1…1, stays where it is. */
  zoom(factor: number, x = 0, y = 0): void {
    this.settle();
    this.isHandled = true;
    const before = this.eye.distance;
    const nearest = 0.02 * this.extent;
    this.eye.distance = Math.min(60 * this.extent, Math.max(nearest, before * factor));
    const half = Math.tan((this.camera.fov * DEGREE) / 2) * (before - this.eye.distance);
    const [right, up] = this.basis();
    this.shift(right.multiplyScalar(x * half * this.camera.aspect).addScaledVector(up, y * half));
  }

  /** Flies: moves the eye along its own axes [m] and turns it on the spot [rad]. */
  fly(right: number, up: number, ahead: number, yaw = 0, pitch = 0): void {
    this.settle();
    this.isHandled = true;
    if (yaw || pitch) {
      const [, , back] = this.basis();
      const place = back.multiplyScalar(this.eye.distance).toArray();
      const e = place.map((x, i) => x + this.eye.target[i]);
      this.eye.azimuth += yaw;
      this.eye.elevation = Math.min(
        Math.PI / 2,
        Math.max(-Math.PI / 2, this.eye.elevation + pitch),
      );
      const [, , now] = this.basis();
      this.eye.target = now
        .multiplyScalar(-this.eye.distance)
        .toArray()
        .map((x, i) => x + e[i]) as Eye["target"];
    }
    const [x, y, z] = this.basis();
    this.shift(x.multiplyScalar(right).addScaledVector(y, up).addScaledVector(z, -ahead));
  }

  /** Goes smoothly to another place; at once where it must not take time. */
  goTo(eye: Partial<Eye>, smooth = true): void {
    const to = { ...(this.to ?? this.eye), ...eye };
    // The short way round.
    const turn = (to.azimuth - this.eye.azimuth) / (2 * Math.PI);
    to.azimuth -= 2 * Math.PI * Math.round(turn);
    if (!smooth) {
      this.eye = to;
      this.settle();
      this.apply();
      return;
    }
    this.start = { ...this.eye };
    this.to = to;
    this.share = 0;
  }

  named(name: ViewName, smooth = true): void {
    const [azimuth, elevation] = VIEWS[name];
    this.goTo({ azimuth: azimuth * DEGREE, elevation: elevation * DEGREE }, smooth);
  }

  /** Looks at the target from a direction of the world. */
  from(direction: Vector3, smooth = true): void {
    const { x, y, z } = direction.clone().applyQuaternion(this.upright.clone().invert());
    const level = Math.hypot(x, y);
    const azimuth = level > 1e-6 ? Math.atan2(y, x) : -Math.PI / 2;
    this.goTo({ azimuth, elevation: Math.atan2(z, level) }, smooth);
  }

  /**
   * Shows all of some places, as large as they fit.
   * @param view Azimuth and elevation of the eye [deg]; those that it has where not given.
   * @param beside Places that must only not be cut off, by what is right and up in the picture.
   */
  fit(
    points: Vector3[],
    smooth = true,
    view?: [number, number],
    beside: (right: Vector3, up: Vector3) => Vector3[] = () => [],
  ): void {
    const eye = { ...(this.to ?? this.eye) };
    this.isHandled = false;
    if (view) [eye.azimuth, eye.elevation] = [view[0] * DEGREE, view[1] * DEGREE];
    const basis = this.basis(eye);
    const seen = (p: Vector3) => basis.map((axis) => axis.dot(p));
    const flat = points.map(seen);
    // Where the picture's middle is and how deep everything lies.
    const middle = [0, 1, 2].map((i) => {
      const values = flat.map((p) => p[i]);
      return (Math.min(...values) + Math.max(...values)) / 2;
    });
    const half = Math.tan((this.camera.fov * DEGREE) / 2);
    const wide = half * this.camera.aspect;
    const { top, bottom } = this.covered();
    const [above, below] = [top, bottom].map((part) => half * Math.min(FILL, EDGE - 2 * part));
    // How far away the eye must be for all to be under the upper end, and over the lower one.
    const depths = flat.map((p) => p[2] - middle[2]);
    const high = Math.max(...flat.map((p, i) => (p[1] - middle[1]) / above + depths[i]));
    const low = Math.max(...flat.map((p, i) => (middle[1] - p[1]) / below + depths[i]));
    const lift = (high - low) / (1 / above + 1 / below);
    middle[1] += lift;
    let distance = Math.max(1e-6, high - lift / above);
    flat.forEach(([x], i) => {
      distance = Math.max(distance, Math.abs(x - middle[0]) / (FILL * wide) + depths[i]);
    });
    for (const [x, y, z] of beside(basis[0], basis[1]).map(seen)) {
      const [u, v, w] = [Math.abs(x - middle[0]), Math.abs(y - middle[1]), z - middle[2]];
      distance = Math.max(distance, u / (EDGE * wide) + w, v / (EDGE * half) + w);
    }
    const target = new Vector3();
    basis.forEach((axis, i) => target.addScaledVector(axis, middle[i]));
    this.goTo({ ...eye, target: target.toArray(), distance }, smooth);
  }

  /** Continues a change of view; whether there is more to come. */
  advance(seconds: number): boolean {
    if (!this.start || !this.to) return false;
    this.share = Math.min(1, this.share + seconds / TRANSITION);
    const s = this.share * this.share * (3 - 2 * this.share);
    const mix = (a: number, b: number) => a + (b - a) * s;
    const [from, to] = [this.start, this.to];
    this.eye = {
      target: from.target.map((x, i) => mix(x, to.target[i])) as Eye["target"],
      azimuth: mix(from.azimuth, to.azimuth),
      elevation: mix(from.elevation, to.elevation),
      distance: from.distance * Math.pow(to.distance / from.distance, s),
    };
    this.apply();
    if (this.share >= 1) this.settle();
    return true;
  }

  private settle(): void {
    this.start = this.to = null;
  }

  private shift(by: Vector3): void {
    this.eye.target = by.toArray().map((x, i) => x + this.eye.target[i]) as Eye["target"];
    this.apply();
  }

  private apply(): void {
    const [right, up, back] = this.basis();
    const place = back.clone().multiplyScalar(this.eye.distance).toArray();
    const { camera } = this;
    toThree(
      place.map((x, i) => x + this.eye.target[i]),
      camera.position,
    );
    const axes = [right, up, back].map((v) => toThree(v.toArray()));
    camera.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(axes[0], axes[1], axes[2]));
    const reach = this.eye.distance + 4 * this.extent;
    camera.near = Math.max(this.eye.distance * 0.01, 0.002 * this.extent);
    camera.far = 30 * reach;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld(true);
  }
}
