// How points are drawn: colours, what is hidden and cut off are worked out by the graphics card.
import { Color, Matrix4, NormalBlending, ShaderMaterial, Vector2, Vector3, Vector4 } from "three";
import { MOST_GROUPS } from "../../store/workspace/points.ts";
import type { Palette } from "../links/palette.ts";
import { MOST_PLANES } from "../../wire/limits.ts";

/** From dark blue to yellow, as in src/kinegen/workspace/colours.py. */
export const SCALE = ["#00204c", "#3c4d6e", "#7c7b78", "#bbaf71", "#ffe945"] as const;

const VERTEX = `
attribute float group;
attribute float value;
uniform vec3 colours[${MOST_GROUPS}];
uniform vec3 scale[${SCALE.length}];
uniform vec3 haze, unknown;
uniform vec2 ends, depths;
uniform vec4 planes[${MOST_PLANES}];
uniform vec4 slab;
uniform int hidden, planeCount, byValue, keepInside;
uniform float size, fade, slabHalf;
varying vec3 colour;

vec3 scaled(float x) {
  float at = clamp(x, 0.0, 1.0) * ${(SCALE.length - 1).toFixed(1)};
  int i = int(min(floor(at), ${(SCALE.length - 2).toFixed(1)}));
  return mix(scale[i], scale[i + 1], at - float(i));
}

void main() {
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * seen;
  int mine = int(group + 0.5);
  bool off = ((hidden >> mine) & 1) == 1;
  bool inside = planeCount > 0;
  for (int i = 0; i < ${MOST_PLANES}; i++)
    if (i < planeCount && dot(planes[i].xyz, position) + planes[i].w < 0.0) inside = false;
  if (planeCount > 0 && inside != (keepInside == 1)) off = true;
  if (slabHalf >= 0.0 && abs(dot(slab.xyz, position) - slab.w) > slabHalf) off = true;
  colour = colours[mine];
  if (byValue == 1) {
    bool known = value == value && ends.y >= ends.x;
    colour = known ? scaled((value - ends.x) / max(ends.y - ends.x, 1e-20)) : unknown;
  }
  float far = clamp((-seen.z - depths.x) / max(depths.y - depths.x, 1e-9), 0.0, 1.0);
  colour = mix(colour, haze, (byValue == 1 ? 0.2 : 0.45) * far);
  float grey = dot(colour, vec3(0.3, 0.6, 0.1));
  colour = mix(colour, mix(vec3(grey), haze, 0.5), fade);
  gl_PointSize = size * mix(1.25, 0.85, far);
  if (off) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = 0.0;
  }
}`;

const FRAGMENT = `
uniform float size, opacity;
varying vec3 colour;
void main() {
  float alpha = opacity;
  if (size > 2.4) {
    vec2 from = gl_PointCoord - 0.5;
    float edge = 0.25 - dot(from, from);
    if (edge < 0.0) discard;
  }
  gl_FragColor = vec4(colour, alpha);
}`;

export class PointMaterial extends ShaderMaterial {
  constructor() {
    super({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      blending: NormalBlending,
      toneMapped: false,
      uniforms: {
        colours: { value: Array.from({ length: MOST_GROUPS }, () => new Vector3()) },
        scale: { value: SCALE.map(rgb) },
        haze: { value: new Vector3() },
        unknown: { value: new Vector3() },
        ends: { value: new Vector2(1, 0) },
        depths: { value: new Vector2(0, 1) },
        planes: { value: Array.from({ length: MOST_PLANES }, () => new Vector4()) },
        slab: { value: new Vector4() },
        slabHalf: { value: -1 },
        hidden: { value: 0 },
        planeCount: { value: 0 },
        byValue: { value: 0 },
        keepInside: { value: 0 },
        size: { value: 2 },
        fade: { value: 0 },
        opacity: { value: 1 },
      },
    });
  }

  paint(palette: Palette): void {
    const middle = new Color(palette.sky).lerp(new Color(palette.floor), 0.5);
    this.uniforms.haze.value = rgb(`#${middle.getHexString()}`);
    this.uniforms.unknown.value = rgb(palette.faint);
  }

  /** Only points this near to a plane (normal, distance) are drawn; null: all. */
  setSlab(slab: readonly [number, number, number, number] | null, half: number): void {
    this.uniforms.slabHalf.value = slab ? half : -1;
    if (slab) (this.uniforms.slab.value as Vector4).set(...slab);
  }

  /** Only points within planes are drawn, or only those beyond. */
  setPlanes(planes: Float32Array | null, keepsInside: boolean): void {
    const { uniforms } = this;
    uniforms.planeCount.value = planes ? Math.min(MOST_PLANES, planes.length / 4) : 0;
    uniforms.keepInside.value = keepsInside ? 1 : 0;
    if (planes)
      for (let i = 0; i < uniforms.planeCount.value; i++)
        (uniforms.planes.value as Vector4[])[i].fromArray(planes, 4 * i);
  }
}

/** A colour as the screen takes it, 0 … 1: shaders of our own write it as it is. */
export function rgb(hex: string): Vector3 {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
  return new Vector3(r, g, b);
}

/** The planes through the edges of a picture, in the space that a matrix maps to clip space. */
export function sidePlanes(clip: Matrix4): Float32Array {
  const m = clip.elements;
  const row = (i: number): [number, number, number, number] => [
    m[i],
    m[i + 4],
    m[i + 8],
    m[i + 12],
  ];
  const w = row(3);
  const planes = [0, 1].flatMap((i) => {
    const a = row(i);
    return [w.map((x, k) => x + a[k]), w.map((x, k) => x - a[k])];
  });
  return Float32Array.from(
    planes.flatMap((plane) => {
      const size = Math.hypot(plane[0], plane[1], plane[2]) || 1;
      return plane.map((x) => x / size);
    }),
  );
}
