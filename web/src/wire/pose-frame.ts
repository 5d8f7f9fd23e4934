// Pose frames: binary, little endian; src/kinegen/studio/wire/frames.py says the same.
export interface PoseFrame {
  /** Counts the sender's frames. */
  sequence: number;
  /** Of the snapshot whose model it belongs to. */
  version: number;
  q: Float64Array;
}

const HEAD = 16;
const POSE = 1;

export function packPose({ sequence, version, q }: PoseFrame): ArrayBuffer {
  const buffer = new ArrayBuffer(HEAD + 8 * q.length);
  const view = new DataView(buffer);
  [POSE, sequence, version, q.length].forEach((value, i) => view.setUint32(4 * i, value, true));
  q.forEach((value, i) => view.setFloat64(HEAD + 8 * i, value, true));
  return buffer;
}

/** The pose of a frame, null when it is none. */
export function unpackPose(buffer: ArrayBuffer): PoseFrame | null {
  if (buffer.byteLength < HEAD) return null;
  const view = new DataView(buffer);
  const [kind, sequence, version, nq] = [0, 4, 8, 12].map((at) => view.getUint32(at, true));
  if (kind !== POSE || buffer.byteLength !== HEAD + 8 * nq) return null;
  const q = new Float64Array(nq);
  for (let i = 0; i < nq; ++i) q[i] = view.getFloat64(HEAD + 8 * i, true);
  return q.every(Number.isFinite) ? { sequence, version, q } : null;
}
