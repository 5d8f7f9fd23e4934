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
export type Emphasis = "none" | "hover" | "selected" | "touching";

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
    this.solid = { none: solid(), hover: solid(), selected: solid(), touching: solid() };
    const edges = () => new LineBasicMaterial({ transparent: true, depthWrite: false });
    this.edges = { none: edges(), hover: edges(), selected: edges(), touching: edges() };
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
      const isTouching = emphasis === "touching";
      material.emissive.set(emphasis === "none" ? "#000000" : isTouching ? palette.danger : accent);
      material.emissiveIntensity = isTouching ? 0.6 : emphasis === "selected" ? 0.22 : 0.12;
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
