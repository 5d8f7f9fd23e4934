// The floor: a grid that fades with the distance, two axes of the world, and soft shadows.
import {
  Color,
  DoubleSide,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  Group,
  type Quaternion,
  Vector2,
  Vector3,
} from "three";
import type { Palette } from "../links/palette.ts";

const VERTEX = /* glsl */ `
  varying vec2 place;
  uniform float radius;
  uniform vec2 centre;
  void main() {
    place = centre + radius * position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;
const FRAGMENT = /* glsl */ `
  varying vec2 place;
  uniform float spacing, radius, strength;
  uniform vec2 centre;
  uniform vec3 ink, xInk, yInk;
  float line(vec2 at, float wide) {
    vec2 w = fwidth(at);
    vec2 d = abs(fract(at - 0.5) - 0.5) / max(w, 1e-6);
    // Lines closer together than pixels melt into nothing instead of flickering.
    vec2 clear = 1.0 - smoothstep(0.15, 0.5, w);
    vec2 on = (1.0 - smoothstep(wide - 0.5, wide + 0.5, d)) * clear;
    return max(on.x, on.y);
  }
  float axis(float at) {
    return 1.0 - smoothstep(0.3, 1.3, abs(at) / max(fwidth(at), 1e-6));
  }
  void main() {
    float fade = 1.0 - smoothstep(0.15, 1.0, length(place - centre) / radius);
    float fine = line(place / spacing, 0.6) * 0.3;
    float coarse = line(place / (5.0 * spacing), 0.8) * 0.6;
    float xs = axis(place.y);
    float ys = axis(place.x);
    vec3 color = mix(mix(ink, yInk, ys), xInk, xs);
    float alpha = max(max(fine, coarse), 0.6 * max(xs, ys)) * fade * fade * strength;
    if (alpha < 0.004) discard;
    gl_FragColor = vec4(color, alpha);
    #include <colorspace_fragment>
  }`;

export class Floor {
  readonly group = new Group();
  private isTilted = false;
  private palette: Palette | null = null;
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly shadow: Mesh<PlaneGeometry, ShadowMaterial>;

  constructor() {
    const plane = new PlaneGeometry(2, 2);
    const uniforms = {
      spacing: { value: 0.1 },
      radius: { value: 1 },
      strength: { value: 1 },
      centre: { value: new Vector2() },
      ink: { value: new Color() },
      xInk: { value: new Color() },
      yInk: { value: new Color() },
    };
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.grid = new Mesh(plane, material);
    this.grid.renderOrder = -1;
    this.shadow = new Mesh(plane, new ShadowMaterial({ opacity: 0.2, depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.shadow.renderOrder = -2;
    this.group.add(this.grid, this.shadow);
  }

  /**
   * Under what is to be seen: a ball of a radius around a point, standing at a height [m].
   * @param upright Turns z into what is up.
   */
  place(middle: ArrayLike<number>, radius: number, height: number, upright: Quaternion): void {
    const reach = 7 * radius;
    const centre = new Vector3().fromArray(middle).applyQuaternion(upright.clone().invert());
    this.group.quaternion.copy(upright);
    this.group.position.set(centre.x, centre.y, height).applyQuaternion(upright);
    this.group.scale.set(reach, reach, 1);
    this.isTilted = Math.abs(upright.w) < 0.999;
    const { uniforms } = this.grid.material;
    uniforms.spacing.value = niceStep(radius / 3);
    uniforms.radius.value = reach;
    uniforms.centre.value.set(centre.x, centre.y);
    if (this.palette) this.paint(this.palette);
  }

  paint(palette: Palette): void {
    const { uniforms } = this.grid.material;
    uniforms.ink.value.set(palette.grid);
    uniforms.xInk.value.set(palette.axes[0]);
    // Of a floor that was tilted towards y the second axis is that of z.
    uniforms.yInk.value.set(palette.axes[this.isTilted ? 2 : 1]);
    this.palette = palette;
    this.shadow.material.opacity = palette.dark ? 0.5 : 0.22;
    this.shadow.material.color.set(palette.dark ? "#000000" : "#26324a");
  }

  show(grid: boolean, shadows: boolean): void {
    this.grid.visible = grid;
    this.shadow.visible = shadows;
  }

  /** Distance of two fine lines [m]. */
  get spacing(): number {
    return this.grid.material.uniforms.spacing.value;
  }

  dispose(): void {
    this.grid.geometry.dispose();
    this.grid.material.dispose();
    this.shadow.material.dispose();
  }
}

/** The largest of 1, 2, 5 · 10ⁿ that is not above a length. */
export function niceStep(length: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(length)));
  const lead = length / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}
