// Small bodies that overlays put into the view.
import {
  type BufferGeometry,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  SphereGeometry,
  type Material,
  type Object3D,
} from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

export const BALL = new SphereGeometry(1, 28, 18);

/** A body that no pointer feels. */
export function mark(geometry: BufferGeometry, material: Material, order = 3): Mesh {
  const mesh = new Mesh(geometry, material);
  mesh.raycast = () => undefined;
  mesh.renderOrder = order;
  return mesh;
}

export const glassy = (color: string, opacity: number) =>
  new MeshStandardMaterial({
    color,
    transparent: true,
    opacity,
    depthWrite: false,
    roughness: 0.3,
  });

export const plain = (color: string, opacity = 1) =>
  new MeshBasicMaterial({ color, transparent: true, opacity, toneMapped: false, depthTest: false });

/** A line through some places, some pixels wide. */
export class Polyline {
  readonly line: Line2;
  private readonly material: LineMaterial;

  constructor(parent: Object3D, color: string, width = 2) {
    this.material = new LineMaterial({ color, linewidth: width, transparent: true });
    this.material.depthTest = false;
    this.material.toneMapped = false;
    this.line = new Line2(new LineGeometry(), this.material);
    this.line.frustumCulled = false;
    this.line.renderOrder = 5;
    this.line.raycast = () => undefined;
    parent.add(this.line);
  }

  set color(color: string) {
    this.material.color.set(color);
  }

  set(points: readonly ArrayLike<number>[]): void {
    this.line.visible = points.length > 1;
    if (points.length < 2) return;
    this.line.geometry.dispose();
    this.line.geometry = new LineGeometry();
    this.line.geometry.setPositions(points.flatMap((p) => [p[0], p[1], p[2]]));
  }

  dispose(): void {
    this.line.removeFromParent();
    this.line.geometry.dispose();
    this.material.dispose();
  }
}
