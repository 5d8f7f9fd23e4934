// What is around the mechanism in a headset: sky, floor, and the stand that lifts what is small.
import {
  BackSide,
  type BufferGeometry,
  CircleGeometry,
  Color,
  CylinderGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  ShaderMaterial,
  ShadowMaterial,
  SphereGeometry,
  type Vector3,
} from "three";
import type { Palette } from "../../view/links/palette.ts";

/** Of the floor [m]. */
const FLOOR = 14;
/** A stand is this much wider than what stands on it, and its top this thick [m]. */
const MARGIN = 1.06;
const TOP = 0.025;

const SKY = {
  vertex: /* glsl */ `
    varying float height;
    void main() {
      height = normalize(position).z;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    }`,
  fragment: /* glsl */ `
    varying float height;
    uniform vec3 sky, low;
    void main() {
      gl_FragColor = vec4(mix(low, sky, smoothstep(-0.05, 0.6, height)), 1.0);
      #include <colorspace_fragment>
    }`,
};
const GROUND = {
  vertex: /* glsl */ `
    varying vec2 place;
    void main() {
      place = position.xy;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    }`,
  fragment: /* glsl */ `
    varying vec2 place;
    uniform vec3 low, ink;
    float lines(vec2 at, float wide) {
      vec2 w = max(fwidth(at), 1e-6);
      vec2 d = abs(fract(at - 0.5) - 0.5) / w;
      vec2 on = (1.0 - smoothstep(wide - 0.5, wide + 0.5, d)) * (1.0 - smoothstep(0.15, 0.5, w));
      return max(on.x, on.y);
    }
    void main() {
      float fade = 1.0 - smoothstep(0.1, 0.85, length(place) / ${FLOOR.toFixed(1)});
      float grid = max(0.25 * lines(place * 2.0, 0.7), 0.55 * lines(place / 1.0, 0.8));
      gl_FragColor = vec4(mix(low, ink, grid * fade), 1.0);
      #include <colorspace_fragment>
    }`,
};

export class Surroundings {
  readonly group = new Group();
  private readonly sky = shaded(new SphereGeometry(40, 32, 20), SKY, BackSide);
  private readonly ground = shaded(new CircleGeometry(FLOOR, 72), GROUND);
  /** Under what stands on the floor; a stand receives shadows itself. */
  private readonly shadow = new Mesh(
    new CircleGeometry(1, 48),
    new ShadowMaterial({ opacity: 0.25, depthWrite: false }),
  );
  private readonly stand = new Group();
  private readonly wood = new MeshStandardMaterial({ roughness: 0.7 });
  private readonly metal = new MeshStandardMaterial({ roughness: 0.45, metalness: 0.2 });
  private readonly top = new Mesh(new CylinderGeometry(1, 1, 1, 96), this.wood);
  private readonly column = new Mesh(new CylinderGeometry(1, 1, 1, 40), this.metal);
  private readonly foot = new Mesh(new CylinderGeometry(1, 1.06, 1, 64), this.metal);

  constructor() {
    for (const part of [this.top, this.column, this.foot]) {
      part.rotation.x = Math.PI / 2;
      part.receiveShadow = true;
      part.raycast = () => undefined;
    }
    for (const part of [this.sky, this.ground]) {
      part.raycast = () => undefined;
      part.renderOrder = -5;
    }
    this.ground.position.z = -0.002;
    this.shadow.receiveShadow = true;
    this.shadow.raycast = () => undefined;
    this.stand.add(this.top, this.column, this.foot);
    this.group.add(this.sky, this.ground, this.shadow, this.stand);
  }

  /** The real room is seen instead of sky, floor and stand. */
  isReal = false;

  paint(palette: Palette): void {
    const low = new Color(palette.floor);
    this.sky.material.uniforms.sky.value.set(palette.sky);
    this.sky.material.uniforms.low.value.copy(low);
    this.ground.material.uniforms.low.value.copy(low);
    this.ground.material.uniforms.ink.value.set(palette.grid);
    this.wood.color.set(palette.dark ? "#39414d" : "#aeb8c6");
    this.metal.color.set(palette.dark ? "#20262f" : "#5d6878");
  }

  /** Sky and floor around the user, the stand under the mechanism's foot: all in the room. */
  place(head: Vector3, foot: Vector3, radius: number): void {
    this.sky.position.set(head.x, head.y, 0);
    this.sky.visible = this.ground.visible = !this.isReal;
    const height = foot.z - TOP;
    this.stand.visible = height > 0.05 && !this.isReal;
    this.shadow.visible = !this.stand.visible;
    this.shadow.position.copy(foot).z += 0.001;
    this.shadow.scale.setScalar(4 * radius);
    if (!this.stand.visible) return;
    const wide = MARGIN * radius;
    this.stand.position.set(foot.x, foot.y, 0);
    this.top.scale.set(wide, TOP, wide);
    this.top.position.z = height + TOP / 2;
    const thick = Math.min(0.09, 0.3 * wide);
    this.column.scale.set(thick, height, thick);
    this.column.position.z = height / 2;
    const spread = Math.min(0.45, 0.75 * wide);
    this.foot.scale.set(spread, 0.025, spread);
    this.foot.position.z = 0.0125;
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const part of [this.sky, this.ground, this.shadow, this.top, this.column, this.foot]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

function shaded(
  geometry: BufferGeometry,
  { vertex, fragment }: { vertex: string; fragment: string },
  side?: typeof BackSide,
): Mesh<BufferGeometry, ShaderMaterial> {
  const uniforms = Object.fromEntries(
    ["sky", "low", "ink"].map((name) => [name, { value: new Color() }]),
  );
  return new Mesh(
    geometry,
    new ShaderMaterial({
      ...{ vertexShader: vertex, fragmentShader: fragment, uniforms },
      ...(side === undefined ? {} : { side }),
    }),
  );
}
