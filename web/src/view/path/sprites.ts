// Marks of a path as small pictures: distinguished by shape, not by colour alone.
import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  type Object3D,
  Points,
  PointsMaterial,
  SRGBColorSpace,
} from "three";

export type Shape = "dot" | "cross" | "triangle" | "ring" | "square" | "diamond";

const SIZE = 64;

/** Draws a mark about the middle of a field of size 2 × 2. */
export function drawShape(
  context: CanvasRenderingContext2D,
  shape: Shape,
  ink: string,
  paper: string,
): void {
  context.lineJoin = context.lineCap = "round";
  context.strokeStyle = context.fillStyle = ink;
  context.beginPath();
  switch (shape) {
    case "dot":
      context.arc(0, 0, 0.8, 0, 2 * Math.PI);
      context.fill();
      return;
    case "cross":
      context.lineWidth = 0.42;
      context.moveTo(-0.65, -0.65);
      context.lineTo(0.65, 0.65);
      context.moveTo(-0.65, 0.65);
      context.lineTo(0.65, -0.65);
      context.stroke();
      return;
    case "triangle":
      context.moveTo(0, -0.82);
      context.lineTo(0.82, 0.68);
      context.lineTo(-0.82, 0.68);
      context.closePath();
      break;
    case "ring":
      context.arc(0, 0, 0.68, 0, 2 * Math.PI);
      break;
    case "square":
      context.rect(-0.62, -0.62, 1.24, 1.24);
      break;
    case "diamond":
      context.moveTo(0, -0.85);
      context.lineTo(0.85, 0);
      context.lineTo(0, 0.85);
      context.lineTo(-0.85, 0);
      context.closePath();
  }
  context.fillStyle = paper;
  context.fill();
  context.lineWidth = 0.28;
  context.stroke();
}

/** Many marks of one shape, of a size in pixels. */
export class Sprites {
  readonly points: Points<BufferGeometry, PointsMaterial>;

  constructor(
    parent: Object3D,
    private readonly shape: Shape,
    private readonly pixels: number,
    order: number,
  ) {
    const material = new PointsMaterial({
      sizeAttenuation: false,
      transparent: true,
      depthTest: false,
      depthWrite: false,
      toneMapped: false,
    });
    this.points = new Points(new BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.renderOrder = order;
    this.points.raycast = () => undefined;
    this.points.visible = false;
    parent.add(this.points);
  }

  paint(ink: string, paper: string): void {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = SIZE;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(SIZE / 2.2, 0, 0, SIZE / 2.2, SIZE / 2, SIZE / 2);
    drawShape(context, this.shape, ink, paper);
    const { material } = this.points;
    material.map?.dispose();
    material.map = new CanvasTexture(canvas);
    material.map.colorSpace = SRGBColorSpace;
    material.needsUpdate = true;
  }

  /** Puts marks at places, 3 numbers each. */
  set(xyz: Float32Array): void {
    const { points } = this;
    points.visible = xyz.length > 0;
    points.material.size = this.pixels * Math.min(2, globalThis.devicePixelRatio || 1);
    points.geometry.dispose();
    points.geometry = new BufferGeometry();
    points.geometry.setAttribute("position", new BufferAttribute(xyz, 3));
  }

  dispose(): void {
    const { points } = this;
    points.removeFromParent();
    points.geometry.dispose();
    points.material.map?.dispose();
    points.material.dispose();
  }
}
