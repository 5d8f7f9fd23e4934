// Carving by the kernels: silhouettes of several cameras to a coloured mesh.
import type { Kernels } from "../kernels.ts";
import { Bytes, Doubles, Integers } from "../memory.ts";
import { type PinholeCamera, projection } from "./cameras.ts";

/** Rounds in which the surface is smoothed; as src/kinegen/hull/carving.py has it. */
const SMOOTHING = 2;

/** A coloured mesh. */
export interface HullMesh {
  /** [m], 3 numbers each. */
  vertices: Float32Array<ArrayBuffer>;
  /** RGB of each vertex. */
  colors: Uint8Array<ArrayBuffer>;
  /** Three vertices each, counter-clockwise seen from outside. */
  triangles: Uint32Array<ArrayBuffer>;
}

export interface Hull extends HullMesh {
  /** Unit vectors out of the surface, for smooth shading. */
  normals: Float32Array<ArrayBuffer>;
  /** [m³] */
  volume: number;
  /** Whether it reaches the box, which may then cut it. */
  touchesBox: boolean;
}

/** Lower and upper corner [m]: six numbers. */
export type Box = readonly number[];

/** Voxels along the edges of a box, as near to cubes as can be. */
export function shapeOf(box: Box, resolution: number): [number, number, number] {
  const edges = [0, 1, 2].map((i) => box[3 + i] - box[i]);
  const longest = Math.max(...edges);
  return edges.map((edge) => Math.max(1, Math.ceil((resolution * edge) / longest - 1e-9))) as [
    number,
    number,
    number,
  ];
}

/** One set of cameras; its memory is kept from frame to frame. */
export class Carver {
  readonly pixels: number;
  private readonly masks: Bytes;
  private readonly pictures: Bytes;
  private readonly projections: Doubles;
  private readonly centres: Doubles;
  private readonly box: Doubles;
  private readonly shape: Integers;
  private readonly counts: Integers;
  private voxels: Bytes | null = null;

  constructor(
    private readonly kernels: Kernels,
    readonly cameras: readonly PinholeCamera[],
  ) {
    const { width, height } = cameras[0];
    this.pixels = width * height;
    this.masks = new Bytes(kernels, cameras.length * this.pixels);
    this.pictures = new Bytes(kernels, 3 * cameras.length * this.pixels);
    this.projections = new Doubles(kernels, 12 * cameras.length);
    this.centres = new Doubles(kernels, 3 * cameras.length);
    this.box = new Doubles(kernels, 6);
    this.shape = new Integers(kernels, 3);
    this.counts = new Integers(kernels, 2);
    cameras.forEach((camera, i) => {
      this.projections.view.set(projection(camera), 12 * i);
      this.centres.view.set(camera.pose.slice(9), 3 * i);
    });
  }

  /** The silhouette of a camera, to be written; not to be kept. */
  mask(camera: number): Uint8Array {
    return this.masks.view.subarray(camera * this.pixels, (camera + 1) * this.pixels);
  }

  /** Puts a camera's picture (RGBA) where its colours are taken from. */
  paint(camera: number, picture: Uint8Array): void {
    const to = this.pictures.view.subarray(3 * camera * this.pixels);
    for (let i = 0, from = 0, at = 0; i < this.pixels; ++i, from += 4, at += 3) {
      to[at] = picture[from];
      to[at + 1] = picture[from + 1];
      to[at + 2] = picture[from + 2];
    }
  }

  /** The hull of the silhouettes and pictures that were put here. */
  carve(box: Box, resolution: number): Hull {
    const { kernels } = this;
    const { width, height } = this.cameras[0];
    const shape = shapeOf(box, resolution);
    const count = shape[0] * shape[1] * shape[2];
    this.box.view.set(box);
    this.shape.view.set(shape);
    if (this.voxels?.count !== count) {
      this.voxels?.free();
      this.voxels = new Bytes(kernels, count);
    }
    const voxels = this.voxels;
    const seen = [this.masks, this.projections, height, width] as const;
    const grid = [this.box, this.shape] as const;
    const inside = this.call("kg_hull_carve", [
      this.masks, this.projections, height, width, ...grid, voxels,
    ]); // prettier-ignore
    this.call("kg_hull_counts", [voxels, ...grid, this.counts]);
    const [vertexCount, triangleCount] = this.counts.view;
    const vertices = new Doubles(kernels, 3 * vertexCount);
    const triangles = new Integers(kernels, 3 * triangleCount);
    const colors = new Bytes(kernels, 3 * vertexCount);
    try {
      this.call("kg_hull_surface", [voxels, ...grid, SMOOTHING, vertices, triangles]);
      const size = [0, 1, 2].map((i) => (box[3 + i] - box[i]) / shape[i]);
      this.call("kg_hull_colours", [
        seen[0], this.pictures, this.projections, this.centres, height, width, Math.hypot(...size),
        vertices, triangles, colors,
      ]); // prettier-ignore
      return {
        vertices: Float32Array.from(vertices.view),
        triangles: Uint32Array.from(triangles.view),
        colors: colors.view.slice(),
        normals: normalsOf(vertices.view, triangles.view),
        volume: inside * size[0] * size[1] * size[2],
        touchesBox: reachesEdge(voxels.view, shape),
      };
    } finally {
      for (const room of [vertices, triangles, colors]) room.free();
    }
  }

  free(): void {
    const rooms = [
      this.masks, this.pictures, this.projections, this.centres, this.box, this.shape, this.counts,
    ]; // prettier-ignore
    for (const room of [...rooms, this.voxels]) room?.free();
    this.voxels = null;
  }

  private call(
    name: `kg_${string}`,
    given: readonly (number | Bytes | Doubles | Integers)[],
  ): number {
    const numbers = given.flatMap((one) => (typeof one === "number" ? [one] : [one.pointer, one.count])); // prettier-ignore
    const found = this.kernels.exports[name](...numbers) as number;
    if (found < 0) throw new Error(`the kernels cannot carve this (${name}: ${found})`);
    return found;
  }
}

/** Sums of the normals of each vertex's triangles, of length 1. */
function normalsOf(vertices: Float64Array, triangles: Int32Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(vertices.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = vertices[b] - vertices[a];
    const uy = vertices[b + 1] - vertices[a + 1];
    const uz = vertices[b + 2] - vertices[a + 2];
    const vx = vertices[c] - vertices[a];
    const vy = vertices[c + 1] - vertices[a + 1];
    const vz = vertices[c + 2] - vertices[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    for (let k = 0, at = a; k < 3; ++k, at = k === 1 ? b : c) {
      out[at] += nx;
      out[at + 1] += ny;
      out[at + 2] += nz;
    }
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
    for (let axis = 0; axis < 3; ++axis) out[i + axis] /= length;
  }
  return out;
}

/** Whether a voxel at a side of the grid is occupied. */
function reachesEdge(voxels: Uint8Array, [nx, ny, nz]: readonly [number, number, number]): boolean {
  for (let i = 0; i < nx; ++i)
    for (let j = 0; j < ny; ++j) {
      const row = (i * ny + j) * nz;
      const isSide = i === 0 || j === 0 || i === nx - 1 || j === ny - 1;
      if (voxels[row] || voxels[row + nz - 1]) return true;
      if (isSide && voxels.subarray(row, row + nz).includes(1)) return true;
    }
  return false;
}
