// A coloured mesh that changes from frame to frame: an avatar from cameras.
import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, MeshStandardMaterial } from "three";

/** A mesh as the kernels make it, or as others send it. */
export interface ColoredMesh {
  vertices: Float32Array;
  colors: Uint8Array;
  triangles: Uint16Array | Uint32Array;
  normals?: Float32Array;
}

/** Pictures show surfaces with their light: so much of it comes from them, the rest from the view. */
const OWN_LIGHT = 0.45;

export class AvatarMesh {
  readonly mesh: Mesh;
  private shown: ColoredMesh | null = null;

  constructor() {
    const material = new MeshStandardMaterial({
      ...{ vertexColors: true, roughness: 0.9, metalness: 0, side: DoubleSide },
    });
    // the colour of a vertex shines a little by itself
    material.onBeforeCompile = (shader) => {
      shader.fragmentShader = shader.fragmentShader.replace(
        "#include <emissivemap_fragment>",
        `#include <emissivemap_fragment>\n  totalEmissiveRadiance += vColor.rgb * ${OWN_LIGHT.toFixed(3)};\n  diffuseColor.rgb *= ${(1 - OWN_LIGHT / 2).toFixed(3)};`,
      );
    };
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => undefined;
    this.mesh.visible = false;
  }

  /** Shows a mesh; null: nothing. */
  show(body: ColoredMesh | null): void {
    if (body === this.shown) return;
    this.shown = body;
    this.mesh.visible = body !== null && body.triangles.length > 0;
    if (!body) return;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(body.vertices, 3));
    geometry.setAttribute("color", new BufferAttribute(linear(body.colors), 3));
    geometry.setIndex(new BufferAttribute(body.triangles, 1));
    if (body.normals) geometry.setAttribute("normal", new BufferAttribute(body.normals, 3));
    else geometry.computeVertexNormals();
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    (this.mesh.material as MeshStandardMaterial).dispose();
  }
}

/** Colours of pictures as the light that they mean. */
function linear(colors: Uint8Array): Float32Array {
  const out = new Float32Array(colors.length);
  for (let i = 0; i < colors.length; ++i) out[i] = LIGHT[colors[i]];
  return out;
}

const LIGHT = Float32Array.from({ length: 256 }, (_, i) => {
  const shown = i / 255;
  return shown <= 0.04045 ? shown / 12.92 : ((shown + 0.055) / 1.055) ** 2.4;
});
