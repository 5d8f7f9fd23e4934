// Poses on their way between pages and the studio.
import { HEAD_SIZE, readPoseHead, writePoseHead } from "./frames.ts";

export interface PoseFrame {
  /** Counts the sender's frames. */
  sequence: number;
  /** Of the snapshot whose model it belongs to. */
  version: number;
  q: Float64Array;
}

export function packPose({ sequence, version, q }: PoseFrame): ArrayBuffer {
  const buffer = new ArrayBuffer(HEAD_SIZE + 8 * q.length);
  const view = new DataView(buffer);
  writePoseHead(view, { sequence, version, nq: q.length });
  q.forEach((value, i) => view.setFloat64(HEAD_SIZE + 8 * i, value, true));
  return buffer;
}

/** The pose of a frame, null when it is none. */
export function unpackPose(buffer: ArrayBuffer): PoseFrame | null {
  const view = new DataView(buffer);
  const head = readPoseHead(view);
  if (head === null || buffer.byteLength !== HEAD_SIZE + 8 * head.nq) return null;
  const q = new Float64Array(head.nq);
  for (let i = 0; i < head.nq; ++i) q[i] = view.getFloat64(HEAD_SIZE + 8 * i, true);
  return q.every(Number.isFinite) ? { sequence: head.sequence, version: head.version, q } : null;
}
