// Bodies of people, as coloured meshes, on their way between pages and the studio.
import { HEAD_SIZE, LARGEST_BODY, readBodyHead, writeBodyHead } from "./frames.ts";
import { BODY_TOP } from "./limits.ts";

export interface BodyMesh {
  /** [m], 3 numbers each. */
  vertices: Float32Array;
  /** RGB of each vertex. */
  colors: Uint8Array;
  /** Three vertices each, counter-clockwise seen from outside. */
  triangles: Uint16Array | Uint32Array;
}

/** The box around it: six float32. */
const BOX = 24;

/** The frame of a body, null where it is too large; null for a body: there is none any more. */
export function packBody(body: BodyMesh | null): ArrayBuffer | null {
  const vertexCount = body ? body.vertices.length / 3 : 0;
  const triangleCount = body ? body.triangles.length / 3 : 0;
  const size = HEAD_SIZE + BOX + 9 * vertexCount + 6 * triangleCount;
  if (vertexCount > BODY_TOP || size > LARGEST_BODY) return null;
  const buffer = new ArrayBuffer(size);
  const head = { client: 0, vertex_count: vertexCount, triangle_count: triangleCount };
  writeBodyHead(new DataView(buffer), head);
  if (!body || vertexCount === 0) return buffer;
  const corners = new Float32Array(buffer, HEAD_SIZE, 6);
  for (let axis = 0; axis < 3; ++axis) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = axis; i < body.vertices.length; i += 3) {
      low = Math.min(low, body.vertices[i]);
      high = Math.max(high, body.vertices[i]);
    }
    corners[axis] = low;
    corners[3 + axis] = high;
  }
  const places = new Uint16Array(buffer, HEAD_SIZE + BOX, 3 * vertexCount);
  for (let i = 0; i < places.length; ++i) {
    const axis = i % 3;
    const edge = corners[3 + axis] - corners[axis];
    const share = edge > 0 ? (body.vertices[i] - corners[axis]) / edge : 0;
    places[i] = Math.round(BODY_TOP * Math.min(1, Math.max(0, share)));
  }
  new Uint16Array(buffer, HEAD_SIZE + BOX + 6 * vertexCount, 3 * triangleCount).set(body.triangles);
  new Uint8Array(buffer, size - 3 * vertexCount).set(body.colors);
  return buffer;
}

/** Whose body a frame holds, and the body, null where there is none any more; null: no such frame. */
export function unpackBody(buffer: ArrayBuffer): { client: number; body: BodyMesh | null } | null {
  const head = readBodyHead(new DataView(buffer));
  if (head === null) return null;
  const { client, vertex_count: vertexCount, triangle_count: triangleCount } = head;
  if (buffer.byteLength !== HEAD_SIZE + BOX + 9 * vertexCount + 6 * triangleCount) return null;
  if (triangleCount === 0) return { client, body: null };
  const corners = new Float32Array(buffer, HEAD_SIZE, 6);
  const places = new Uint16Array(buffer, HEAD_SIZE + BOX, 3 * vertexCount);
  const vertices = new Float32Array(3 * vertexCount);
  for (let i = 0; i < places.length; ++i) {
    const axis = i % 3;
    vertices[i] = corners[axis] + (places[i] / BODY_TOP) * (corners[3 + axis] - corners[axis]);
  }
  const triangles = new Uint16Array(buffer, HEAD_SIZE + BOX + 6 * vertexCount, 3 * triangleCount);
  if (!vertices.every(Number.isFinite) || triangles.some((one) => one >= vertexCount)) return null;
  const colors = new Uint8Array(buffer, buffer.byteLength - 3 * vertexCount);
  return { client, body: { vertices, triangles, colors } };
}
