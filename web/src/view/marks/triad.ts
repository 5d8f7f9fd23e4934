// Three arrows that show a frame: x red, y green, z blue.
import {
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  type BufferGeometry,
} from "three";
import type { Palette } from "../links/palette.ts";

let shaft: BufferGeometry | null = null;
let head: BufferGeometry | null = null;

/** Arrows of length 1 along x, y, z; shared shapes, own colours. */
export class Triad extends Group {
  private readonly paints = [0, 1, 2].map(
    () => new MeshBasicMaterial({ toneMapped: false, transparent: true }),
  );

  constructor() {
    super();
    const parts = [
      (shaft ??= new CylinderGeometry(0.028, 0.028, 0.8, 10).translate(0, 0.4, 0)),
      (head ??= new ConeGeometry(0.075, 0.24, 14).translate(0, 0.88, 0)),
    ];
    this.paints.forEach((paint, i) => {
      const arrow = new Group();
      for (const part of parts) {
        const mesh = new Mesh(part, paint);
        mesh.raycast = () => undefined;
        mesh.renderOrder = 4;
        arrow.add(mesh);
      }
      // The arrow's own y becomes x, stays, becomes z.
      if (i === 0) arrow.rotation.z = -Math.PI / 2;
      if (i === 2) arrow.rotation.x = Math.PI / 2;
      this.add(arrow);
    });
  }

  paint(palette: Palette, onTop = true): void {
    this.paints.forEach((paint, i) => {
      paint.color.set(palette.axes[i]);
      paint.depthTest = !onTop;
    });
  }

  release(): void {
    for (const paint of this.paints) paint.dispose();
  }
}
