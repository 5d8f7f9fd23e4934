// What is around the mechanism in a headset: sky, floor, and the stand that lifts what is small.
import {
  BackSide,
  type BufferGeometry,
  CircleGeometry,
  Color,
  CylinderGeometry,
  Group,
  LatheGeometry,
  Mesh,
  MeshStandardMaterial,
  ShaderMaterial,
  ShadowMaterial,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import type { Palette } from "../../view/links/palette.ts";

/** Of the floor [m]. */
const FLOOR = 14;
/** A stand is this much wider than what stands on it, and its top this thick [m]. */
const MARGIN = 1.06;
const TOP = 0.025;
/** Rounded edge of the top: radius and height as shares. */
const EDGE = [
  [0, -0.5], [0.97, -0.5], [0.985, -0.46], [0.996, -0.32], [1, -0.1], [1, 0.2], [0.997, 0.38],
  [0.99, 0.48], [0.98, 0.5], [0, 0.5],
] as const; // prettier-ignore

/** Light comes from the horizon: it is brighter than the sky above and the floor at the feet. */
const LOOKS = {
  light: { sky: "#c5d3e4", low: "#f1f4f8", near: "#ccd5e0", top: "#d3dae4", metal: "#7d8898" },
  dark: { sky: "#141a22", low: "#2c3643", near: "#171c23", top: "#434d5b", metal: "#2a313b" },
} as const;

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
    uniform vec3 low, near, ink, spot;
    float lines(vec2 at, float wide) {
      vec2 w = max(fwidth(at), 1e-6);
      vec2 d = abs(fract(at - 0.5) - 0.5) / w;
      vec2 on = (1.0 - smoothstep(wide - 0.5, wide + 0.5, d)) * (1.0 - smoothstep(0.15, 0.5, w));
      return max(on.x, on.y);
    }
    void main() {
      float fade = 1.0 - smoothstep(0.1, 0.85, length(place) / ${FLOOR.toFixed(1)});
      float grid = max(0.25 * lines(place * 2.0, 0.7), 0.55 * lines(place / 1.0, 0.8));
      vec3 floor = mix(near, low, smoothstep(0.06, 0.7, length(place) / ${FLOOR.toFixed(1)}));
      // under a stand
      float shade = spot.z > 0.0 ? smoothstep(1.7, 0.5, distance(place, spot.xy) / spot.z) : 0.0;
      gl_FragColor = vec4(mix(floor, ink, grid * fade) * (1.0 - 0.22 * shade), 1.0);
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
  private readonly board = new MeshStandardMaterial({ roughness: 0.6 });
  private readonly metal = new MeshStandardMaterial({ roughness: 0.45, metalness: 0.2 });
  private readonly top = new Mesh(
    new LatheGeometry(
      EDGE.map(([r, y]) => new Vector2(r, y)),
      128,
    ),
    this.board,
  );
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
    const { sky, low, near, top, metal } = LOOKS[palette.dark ? "dark" : "light"];
    this.sky.material.uniforms.sky.value.set(sky);
    this.sky.material.uniforms.low.value.set(low);
    this.ground.material.uniforms.low.value.set(low);
    this.ground.material.uniforms.near.value.set(near);
    this.ground.material.uniforms.ink.value.set(palette.grid);
    this.board.color.set(top);
    this.metal.color.set(metal);
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
    const wide = MARGIN * radius;
    // no shadow of a light: the soft one of all that shines in from the sides
    this.ground.material.uniforms.spot.value.set(foot.x, foot.y, this.stand.visible ? wide : 0);
    if (!this.stand.visible) return;
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
  const uniforms = {
    ...Object.fromEntries(
      ["sky", "low", "near", "ink"].map((name) => [name, { value: new Color() }]),
    ),
    spot: { value: new Vector3() },
  };
  return new Mesh(
    geometry,
    new ShaderMaterial({
      ...{ vertexShader: vertex, fragmentShader: fragment, uniforms },
      ...(side === undefined ? {} : { side }),
    }),
  );
}
