// Files of a coloured mesh: PLY, and GLB (glTF 2.0).
import type { HullMesh } from "./carver.ts";

/** Vertices [m] and colours, as src/kinegen/workspace/export.py writes them. */
export function plyFile({ vertices, colors, triangles }: HullMesh): Uint8Array<ArrayBuffer> {
  const [n, m] = [vertices.length / 3, triangles.length / 3];
  const axes = ["x", "y", "z"].map((axis) => `property float ${axis}`);
  const hues = ["red", "green", "blue"].map((hue) => `property uchar ${hue}`);
  const head = new TextEncoder().encode(
    [
      "ply", "format binary_little_endian 1.0", "comment lengths in metres",
      `element vertex ${n}`, ...axes, ...hues,
      `element face ${m}`, "property list uchar int vertex_indices", "end_header", "",
    ].join("\n"), // prettier-ignore
  );
  const out = new Uint8Array(head.length + 15 * n + 13 * m);
  out.set(head);
  const view = new DataView(out.buffer);
  let at = head.length;
  for (let i = 0; i < n; ++i, at += 15) {
    for (let k = 0; k < 3; ++k) view.setFloat32(at + 4 * k, vertices[3 * i + k], true);
    out.set(colors.subarray(3 * i, 3 * i + 3), at + 12);
  }
  for (let i = 0; i < m; ++i, at += 13) {
    out[at] = 3;
    for (let k = 0; k < 3; ++k) view.setInt32(at + 1 + 4 * k, triangles[3 * i + k], true);
  }
  return out;
}

/** [m], turned so that the z of the world is the y of glTF. */
export function glbFile({ vertices, colors, triangles }: HullMesh): Uint8Array<ArrayBuffer> {
  const n = vertices.length / 3;
  const hues = new Uint8Array(4 * n);
  for (let i = 0; i < n; ++i)
    // glTF has light: what a screen shows is brighter than its square
    for (let k = 0; k < 4; ++k)
      hues[4 * i + k] = k === 3 ? 255 : Math.round(255 * toLight(colors[3 * i + k] / 255));
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < vertices.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], vertices[i]);
    high[i % 3] = Math.max(high[i % 3], vertices[i]);
  }
  const parts = [vertices, hues, triangles];
  let offset = 0;
  const bufferViews = parts.map(({ byteLength }, i) => {
    const view = { buffer: 0, byteOffset: offset, byteLength, target: i === 2 ? 34963 : 34962 };
    offset += byteLength;
    return view;
  });
  const json = {
    asset: { version: "2.0", generator: "Kinegen" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ name: "avatar", mesh: 0, rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] }],
    meshes: [
      { primitives: [{ attributes: { POSITION: 0, COLOR_0: 1 }, indices: 2, material: 0 }] },
    ],
    materials: [{ pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.9 } }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: n, type: "VEC3", min: low, max: high },
      { bufferView: 1, componentType: 5121, normalized: true, count: n, type: "VEC4" },
      { bufferView: 2, componentType: 5125, count: triangles.length, type: "SCALAR" },
    ],
    bufferViews,
    buffers: [{ byteLength: offset }],
  };
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padded = Math.ceil(text.length / 4) * 4;
  const out = new Uint8Array(28 + padded + offset);
  const view = new DataView(out.buffer);
  const words = (at: number, ...values: number[]): void =>
    values.forEach((value, i) => view.setUint32(at + 4 * i, value, true));
  words(0, 0x46546c67, 2, out.length, padded, 0x4e4f534a);
  out.fill(0x20, 20, 20 + padded);
  out.set(text, 20);
  words(20 + padded, offset, 0x004e4942);
  parts.forEach((part, i) => {
    const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    out.set(bytes, 28 + padded + bufferViews[i].byteOffset);
  });
  return out;
}

const toLight = (x: number): number => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
