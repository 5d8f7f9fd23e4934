// The body of what is reached: a glassy surface, sections through it, and zones in a plane.
import {
  BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, ShaderMaterial,
  Vector3, Vector4,
} from "three"; // prettier-ignore
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { Body } from "../../store/workspace/bodies.ts";
import { outline, runs, type Sheet } from "../../store/workspace/cells.ts";
import type { Section } from "../../store/workspace/workspace.ts";
import { rgb } from "./point-material.ts";

const VERTEX = `
varying vec3 way, side, place;
void main() {
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  place = position;
  way = seen.xyz;
  side = normalMatrix * normal;
  gl_Position = projectionMatrix * seen;
}`;
// Dense where it is seen from the side: so its outline is seen, and what is behind it too.
const FRAGMENT = `
uniform vec3 colour;
uniform vec4 cut;
uniform float fade, isCut;
varying vec3 way, side, place;
void main() {
  if (isCut > 0.5 && dot(cut.xyz, place) > cut.w) discard;
  float facing = abs(dot(normalize(way), normalize(side)));
  float rim = pow(1.0 - facing, 2.2);
  float alpha = mix(0.16, 0.78, rim) * (1.0 - 0.5 * fade);
  gl_FragColor = vec4(mix(colour, vec3(0.55), 0.6 * fade) * mix(1.0, 0.82, rim), alpha);
}`;

export class Surface {
  readonly group = new Group();
  private readonly glass = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    toneMapped: false,
    uniforms: {
      colour: { value: new Vector3() },
      cut: { value: new Vector4() },
      isCut: { value: 0 },
      fade: { value: 0 },
    },
  });
  private readonly fill = new MeshBasicMaterial({
    transparent: true, opacity: 0.34, depthWrite: false, side: DoubleSide, toneMapped: false,
  }); // prettier-ignore
  private readonly line = new LineMaterial({ linewidth: 2, transparent: true, toneMapped: false });
  private readonly skin = new Mesh(new BufferGeometry(), this.glass);
  private readonly sheet = new Mesh(new BufferGeometry(), this.fill);
  private readonly edge = new LineSegments2(new LineSegmentsGeometry(), this.line);
  private shown: Body | null = null;
  private cutAt: string | null = null;

  constructor(root: Group) {
    for (const [order, part] of [this.skin, this.sheet, this.edge].entries()) {
      part.raycast = () => undefined;
      part.frustumCulled = false;
      part.renderOrder = 2 + order;
      this.group.add(part);
    }
    this.group.visible = false;
    root.add(this.group);
  }

  paint(color: string): void {
    this.glass.uniforms.colour.value = rgb(color);
    this.fill.color.set(color);
    this.line.color.set(color);
  }

  update(body: Body | null, section: Section | null, isStale: boolean): void {
    this.group.visible = body !== null;
    if (!body) {
      this.shown = null;
      return;
    }
    const isOther = body.vertices !== this.shown?.vertices;
    this.shown = body;
    const isFlat = body.cells.dimension === 2;
    this.skin.visible = !isFlat;
    this.glass.uniforms.fade.value = isStale ? 1 : 0;
    this.fill.opacity = isStale ? 0.2 : 0.4;
    if (isOther && !isFlat) this.setSkin(body);
    const key = isFlat ? "flat" : section ? `${section.axis} ${section.at}` : "none";
    if (isOther || key !== this.cutAt) {
      this.cutAt = key;
      if (isFlat) this.setOutline(body);
      else this.cut(body, section);
    }
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const part of [this.skin, this.sheet, this.edge]) part.geometry.dispose();
    for (const material of [this.glass, this.fill, this.line]) material.dispose();
  }

  private setSkin(body: Body): void {
    this.skin.geometry.dispose();
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(body.vertices, 3));
    geometry.setIndex(new BufferAttribute(body.faces, 1));
    geometry.computeVertexNormals();
    this.skin.geometry = geometry;
  }

  private cut(body: Body, section: Section | null): void {
    const { uniforms } = this.glass;
    uniforms.isCut.value = section ? 1 : 0;
    this.sheet.visible = this.edge.visible = section !== null;
    if (!section) return;
    const normal = [0, 0, 0];
    normal[section.axis] = 1;
    (uniforms.cut.value as Vector4).set(normal[0], normal[1], normal[2], section.at);
    this.setSheet(body, body.cells.section(section.axis, section.at), section);
  }

  /** A zone in a plane has an outline. */
  private setOutline({ faces, vertices }: Body): void {
    this.sheet.visible = false;
    this.edge.visible = true;
    const ends = Array.from(faces, (corner) => vertices.subarray(3 * corner, 3 * corner + 3));
    this.setEdge(ends.flatMap((end) => [...end]));
  }

  /** Filled cells of a plane as rectangles, and the line around them. */
  private setSheet(body: Body, sheet: Sheet, { axis, at }: Section): void {
    this.sheet.visible = this.edge.visible = true;
    const [a, b] = [0, 1, 2].filter((i) => i !== axis);
    const place = (i: number, j: number): number[] => {
      const along = [at, at, at];
      along[a] = body.cells.place(a, i);
      along[b] = body.cells.place(b, j);
      return along;
    };
    const corners = runs(sheet).flatMap(([i, from, to]) => {
      const [p, q, r, s] = [place(i, from), place(i, to), place(i + 1, to), place(i + 1, from)];
      return [...p, ...q, ...r, ...p, ...r, ...s];
    });
    this.sheet.geometry.dispose();
    this.sheet.geometry = new BufferGeometry();
    const places = new BufferAttribute(Float32Array.from(corners), 3);
    this.sheet.geometry.setAttribute("position", places);
    this.setEdge(outline(sheet).flatMap(([i, j, k, l]) => [...place(i, j), ...place(k, l)]));
  }

  private setEdge(ends: number[]): void {
    this.edge.geometry.dispose();
    this.edge.geometry = new LineSegmentsGeometry();
    this.edge.visible = ends.length > 0;
    if (ends.length) this.edge.geometry.setPositions(ends);
  }
}
