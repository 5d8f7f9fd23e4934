// The floor: a grid that fades with the distance, the world's x and y axis, and soft shadows.
import {
  Color,
  DoubleSide,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  Group,
  Vector2,
} from "three";
import type { Palette } from "./palette.ts";

const VERTEX = /* glsl */ `
  varying vec2 place;
  void main() {
    vec4 world = vec4(position, 1.0);
    place = (modelMatrix * world).xz * vec2(1.0, -1.0);
    gl_Position = projectionMatrix * modelViewMatrix * world;
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

  /** Under what is to be seen: a ball of a radius around a point, standing at a height [m]. */
  place(centre: ArrayLike<number>, radius: number, height: number): void {
    const reach = 7 * radius;
    this.group.position.set(centre[0], centre[1], height);
    this.group.scale.set(reach, reach, 1);
    const { uniforms } = this.grid.material;
    uniforms.spacing.value = niceStep(radius / 3);
    uniforms.radius.value = reach;
    uniforms.centre.value.set(centre[0], centre[1]);
  }

  paint(palette: Palette): void {
    const { uniforms } = this.grid.material;
    uniforms.ink.value.set(palette.grid);
    uniforms.xInk.value.set(palette.axes[0]);
    uniforms.yInk.value.set(palette.axes[1]);
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
