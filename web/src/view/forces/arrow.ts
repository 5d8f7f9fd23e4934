// Arrows for forces: as long as asked, equally thick.
import {
  ConeGeometry,
  CylinderGeometry,
  Group,
  type Material,
  type Object3D,
  Vector3,
} from "three";
import { mark } from "../overlays/marks.ts";

const SHAFT = new CylinderGeometry(1, 1, 1, 14).translate(0, 0.5, 0);
const HEAD = new ConeGeometry(1, 1, 20).translate(0, -0.5, 0);
const UP = new Vector3(0, 1, 0);

export class Arrow {
  readonly group = new Group();
  private readonly shaft;
  private readonly head;

  constructor(parent: Object3D, material: Material, order = 8) {
    this.shaft = mark(SHAFT, material, order);
    this.head = mark(HEAD, material, order);
    this.group.add(this.shaft, this.head);
    parent.add(this.group);
  }

  set material(material: Material) {
    this.shaft.material = this.head.material = material;
  }

  hide(): void {
    this.group.visible = false;
  }

  /** From a place along a direction of any length, so long and thick [m]. */
  show(from: Vector3, direction: Vector3, length: number, width: number): void {
    const size = direction.length();
    this.group.visible = size > 0 && length > 0;
    if (!this.group.visible) return;
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(UP, direction.clone().divideScalar(size));
    const tip = Math.min(0.6 * length, 5 * width);
    this.shaft.scale.set(width, length - tip, width);
    this.head.position.y = length;
    this.head.scale.set(2.4 * width, tip, 2.4 * width);
  }

  remove(): void {
    this.group.removeFromParent();
  }
}

/** How long an arrow is for a share of 0 … 1 of the largest, in radii of the mechanism. */
export const arrowLength = (share: number): number => (share > 0 ? 0.08 + 0.34 * share : 0);
