// Materials that all links share, one per look, and the outline of what is chosen.
import {
  BackSide,
  DoubleSide,
  LineBasicMaterial,
  MeshBasicMaterial,
  MeshStandardMaterial,
  type Material,
} from "three";
import type { Palette } from "./palette.ts";

export type RenderMode = "solid" | "wireframe" | "transparent";
export type Emphasis = "none" | "hover" | "selected" | "stopped" | "touching";

/** What shines out of a part itself, and how strongly. */
const GLOW: Record<Emphasis, ["none" | "accent" | "motor" | "danger", number]> = {
  none: ["none", 0],
  hover: ["accent", 0.12],
  selected: ["accent", 0.22],
  stopped: ["motor", 0.55],
  touching: ["danger", 0.6],
};

export class Materials {
  readonly solid: Record<Emphasis, MeshStandardMaterial>;
  readonly edges: Record<Emphasis, LineBasicMaterial>;
  readonly outline: MeshBasicMaterial;
  /** Pixels that the outline stands out. */
  private readonly width = { value: 2.2 };
  private readonly height = { value: 600 };

  constructor() {
    const solid = () =>
      new MeshStandardMaterial({
        vertexColors: true,
        roughness: 0.48,
        metalness: 0.04,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      });
    const each = <M>(make: () => M): Record<Emphasis, M> => ({
      ...{ none: make(), hover: make(), selected: make() },
      ...{ stopped: make(), touching: make() },
    });
    this.solid = each(solid);
    const edges = () => new LineBasicMaterial({ transparent: true, depthWrite: false });
    this.edges = each(edges);
    this.outline = new MeshBasicMaterial({ side: BackSide, toneMapped: false });
    // A shell that is pushed out along the normals by so many pixels at any distance.
    this.outline.onBeforeCompile = (shader) => {
      shader.uniforms.outlineWidth = this.width;
      shader.uniforms.viewHeight = this.height;
      shader.vertexShader = shader.vertexShader
        .replace("void main() {", "uniform float outlineWidth, viewHeight;\nvoid main() {")
        .replace(
          "#include <project_vertex>",
          `#include <project_vertex>
          vec4 outward = projectionMatrix * vec4(normalMatrix * normal, 0.0);
          vec2 direction = normalize(outward.xy + vec2(1e-6, 0.0));
          float aspect = projectionMatrix[1][1] / projectionMatrix[0][0];
          direction.x /= aspect;
          gl_Position.xy += direction * gl_Position.w * 2.0 * outlineWidth / viewHeight;`,
        );
    };
  }

  paint(palette: Palette, mode: RenderMode): void {
    const accent = palette.accent;
    for (const [emphasis, material] of Object.entries(this.solid) as [
      Emphasis,
      MeshStandardMaterial,
    ][]) {
      const [color, strength] = GLOW[emphasis];
      material.emissive.set(color === "none" ? "#000000" : palette[color]);
      material.emissiveIntensity = strength;
      material.transparent = mode === "transparent";
      material.opacity = mode === "transparent" ? 0.32 : 1;
      material.depthWrite = mode === "solid";
      material.side = mode === "transparent" ? DoubleSide : material.side;
      material.colorWrite = mode !== "wireframe";
      material.needsUpdate = true;
    }
    for (const [emphasis, material] of Object.entries(this.edges) as [
      Emphasis,
      LineBasicMaterial,
    ][]) {
      // In a wireframe the lines have the colours of what they stand for.
      const own = mode === "wireframe" && emphasis === "none";
      material.vertexColors = own;
      material.color.set(own ? "#ffffff" : emphasis === "none" ? palette.outline : accent);
      material.opacity = mode === "solid" ? (palette.dark ? 0.34 : 0.22) : own ? 0.9 : 0.7;
      material.toneMapped = !own;
      material.needsUpdate = true;
    }
    this.outline.color.set(accent);
  }

  /** Says how many pixels high the picture is. */
  resize(height: number): void {
    this.height.value = height;
  }

  dispose(): void {
    const all: Material[] = [...Object.values(this.solid), ...Object.values(this.edges)];
    for (const material of [...all, this.outline]) material.dispose();
  }
}
