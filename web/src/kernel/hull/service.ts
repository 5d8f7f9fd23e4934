// Carving beside the page: what the worker is asked, what it answers, and how it works.
import { Kernels } from "../kernels.ts";
import type { PinholeCamera } from "./cameras.ts";
import { type Box, Carver, type Hull, type HullMesh } from "./carver.ts";
import { different, opaque, toScreenColors } from "./silhouettes.ts";

/** Pixels in the width of a preview. */
export const PREVIEW_WIDTH = 96;

/** A frame to carve; kernels, cameras and backgrounds come along when they are new. */
export interface HullQuestion {
  id: number;
  module?: WebAssembly.Module;
  cameras?: readonly PinholeCamera[];
  /** The views without the body (RGBA), one per camera; empty: the body is what is opaque. */
  backgrounds?: Uint8Array<ArrayBuffer>[];
  /** RGBA of each camera. */
  pictures: Uint8Array<ArrayBuffer>[];
  /** Whether the colours are linear light, as they were drawn. */
  linear: boolean;
  box: Box;
  resolution: number;
  /** Of background subtraction, 0 to 255. */
  threshold: number;
  /** Whether to carve; else only previews of what the cameras see are made. */
  carves: boolean;
  /** Whether small pictures of the silhouettes are wanted. */
  preview: boolean;
  /** Resolution of a second, coarser mesh to send to others; 0: none. */
  coarse: number;
}

export interface Preview {
  width: number;
  height: number;
  /** RGBA of each camera: the body in its colours, the rest dark. */
  pictures: Uint8ClampedArray<ArrayBuffer>[];
}

export interface HullAnswer {
  id: number;
  hull: Hull | null;
  coarse: HullMesh | null;
  preview: Preview | null;
  /** Share of the pixels in each silhouette. */
  shares: number[];
  /** Silhouettes, carving, mesh and colours [ms]. */
  took: number;
  /** Why there is no hull; '' where there is one. */
  error: string;
}

/** The work itself, on whatever thread. */
export class HullService {
  private kernels: Kernels | null = null;
  private cameras: readonly PinholeCamera[] = [];
  private carver: Carver | null = null;
  private generation = -1;
  private backgrounds: Uint8Array[] = [];

  answer(question: HullQuestion): HullAnswer {
    const { id, cameras, module, backgrounds } = question;
    if (module) this.kernels = new Kernels(module);
    if (cameras) {
      this.carver?.free();
      this.carver = null;
      this.cameras = cameras;
      this.backgrounds = [];
    }
    if (backgrounds) this.backgrounds = backgrounds;
    const begun = performance.now();
    const nothing = { id, hull: null, coarse: null, preview: null, shares: [] };
    try {
      const { kernels } = this;
      if (kernels === null) throw new Error("the worker has no kernels");
      const found = kernels.guard(() => this.work(kernels, question));
      return { ...nothing, ...found, took: performance.now() - begun, error: "" };
    } catch (error) {
      this.carver = null;
      const words = error instanceof Error ? error.message : String(error);
      return { ...nothing, took: performance.now() - begun, error: words };
    }
  }

  private work(kernels: Kernels, question: HullQuestion) {
    const { pictures, box, resolution, coarse, preview, carves } = question;
    const { cameras } = this;
    if (cameras.length === 0 || pictures.length !== cameras.length)
      throw new Error(`there are ${pictures.length} pictures for ${cameras.length} cameras`);
    if (this.carver === null || this.generation !== kernels.generation)
      this.carver = new Carver(kernels, cameras);
    this.generation = kernels.generation;
    const carver = this.carver;
    const scratch = new Uint8Array(carver.pixels);
    const shares = pictures.map((picture, i) => {
      if (picture.length !== 4 * carver.pixels)
        throw new Error(
          `the picture of camera '${cameras[i].name}' has ${picture.length / 4} pixels, not ` +
            `${cameras[0].width} × ${cameras[0].height}`,
        );
      const mask = carver.mask(i);
      const background = this.backgrounds[i];
      if (!carves) mask.fill(1);
      else if (background) {
        const size = [cameras[0].width, cameras[0].height] as const;
        different(picture, background, size, question.threshold, mask, scratch);
      } else opaque(picture, mask);
      if (question.linear) toScreenColors(picture);
      carver.paint(i, picture);
      let count = 0;
      for (const one of mask) count += one;
      return count / mask.length;
    });
    return {
      hull: carves ? carver.carve(box, resolution) : null,
      shares,
      coarse: carves && coarse > 0 ? meshOf(carver.carve(box, coarse)) : null,
      preview: preview ? previewOf(carver, pictures) : null,
    };
  }
}

const meshOf = ({ vertices, colors, triangles }: Hull): HullMesh => ({
  vertices,
  colors,
  triangles,
});

/** Small pictures: what belongs to the body in its colours, the rest dark and grey. */
function previewOf(carver: Carver, pictures: readonly Uint8Array[]): Preview {
  const { width, height } = carver.cameras[0];
  const step = Math.max(1, width / PREVIEW_WIDTH);
  const [w, h] = [Math.floor(width / step), Math.floor(height / step)];
  const small = pictures.map((picture, camera) => {
    const mask = carver.mask(camera);
    const out = new Uint8ClampedArray(4 * w * h);
    for (let row = 0; row < h; ++row)
      for (let column = 0; column < w; ++column) {
        const from = Math.floor(row * step) * width + Math.floor(column * step);
        const to = 4 * (row * w + column);
        const grey = (picture[4 * from] + picture[4 * from + 1] + picture[4 * from + 2]) / 3;
        for (let i = 0; i < 3; ++i) out[to + i] = mask[from] ? picture[4 * from + i] : 0.3 * grey + 12; // prettier-ignore
        out[to + 3] = 255;
      }
    return out;
  });
  return { width: w, height: h, pictures: small };
}

/** The buffers that an answer hands over instead of copying them. */
export function buffersOf({ hull, coarse, preview }: HullAnswer): ArrayBuffer[] {
  const meshes = [hull, coarse].filter((one) => one !== null);
  return [
    ...(hull ? [hull.normals.buffer] : []),
    ...meshes.flatMap((one) => [one.vertices.buffer, one.colors.buffer, one.triangles.buffer]),
    ...(preview?.pictures ?? []).map((one) => one.buffer),
  ];
}
