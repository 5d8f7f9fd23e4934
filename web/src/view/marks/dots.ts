// Round dots at places of the world, and frames of boxes: what panels show of places in space.
import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  LineBasicMaterial,
  LineSegments,
  type Object3D,
  Points,
  PointsMaterial,
} from "three";

let disc: CanvasTexture | null = null;
/** A white disc with a soft rim. */
function discTexture(): CanvasTexture {
  if (disc) return disc;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = "#fff";
  pen.beginPath();
  pen.arc(32, 32, 30, 0, 2 * Math.PI);
  pen.fill();
  return (disc = new CanvasTexture(canvas));
}

export class Dots {
  private readonly material: PointsMaterial;
  private readonly points: Points;

  constructor(parent: Object3D, opacity = 1, order = 4) {
    this.material = new PointsMaterial({
      map: discTexture(),
      alphaTest: 0.4,
      transparent: true,
      opacity,
      sizeAttenuation: false,
      toneMapped: false,
      depthWrite: false,
    });
    this.points = new Points(new BufferGeometry(), this.material);
    this.points.frustumCulled = false;
    this.points.renderOrder = order;
    this.points.raycast = () => undefined;
    this.points.visible = false;
    parent.add(this.points);
  }

  set color(color: string) {
    this.material.color.set(color);
  }

  /** Diameter [px]. */
  set size(size: number) {
    this.material.size = size * (globalThis.devicePixelRatio || 1);
  }

  /** Whether links hide what is behind them. */
  set solid(on: boolean) {
    this.material.depthTest = on;
  }

  /** Three numbers per place; colours of their own have r, g, b from 0 to 1 each. */
  set(places: Float32Array, colors: Float32Array | null = null): void {
    this.points.visible = places.length > 0;
    this.points.geometry.dispose();
    this.points.geometry = new BufferGeometry();
    this.points.geometry.setAttribute("position", new BufferAttribute(places, 3));
    if (colors) this.points.geometry.setAttribute("color", new BufferAttribute(colors, 3));
    if (this.material.vertexColors === (colors !== null)) return;
    this.material.vertexColors = colors !== null;
    this.material.needsUpdate = true;
  }

  dispose(): void {
    this.points.removeFromParent();
    this.points.geometry.dispose();
    this.material.dispose();
  }
}

type Vec = readonly number[];

/** The edges of a box between two corners. */
export class BoxFrame {
  private readonly material = new LineBasicMaterial({ transparent: true, toneMapped: false });
  private readonly lines = new LineSegments(new BufferGeometry(), this.material);

  constructor(parent: Object3D, opacity = 0.7) {
    this.material.opacity = opacity;
    this.lines.frustumCulled = false;
    this.lines.raycast = () => undefined;
    this.lines.renderOrder = 4;
    this.lines.visible = false;
    parent.add(this.lines);
  }

  set color(color: string) {
    this.material.color.set(color);
  }

  set(low: Vec, high: Vec): void {
    const corner = (i: number): number[] => [0, 1, 2].map((k) => ((i >> k) & 1 ? high[k] : low[k]));
    const ends: number[] = [];
    for (let i = 0; i < 8; i++)
      for (const bit of [1, 2, 4])
        if (!(i & bit)) {
          const k = Math.log2(bit);
          if (low[k] !== high[k]) ends.push(...corner(i), ...corner(i | bit));
        }
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(ends), 3));
    this.lines.visible = ends.length > 0;
  }

  hide(): void {
    this.lines.visible = false;
  }

  dispose(): void {
    this.lines.removeFromParent();
    this.lines.geometry.dispose();
    this.material.dispose();
  }
}
