// Pieces of points, as a test makes them.
import type { CloudDetailPiece } from "../../src/wire/messages.ts";
import type { Piece } from "../../src/wire/piece-frame.ts";

/** A piece as the studio packs it: places, tags, values. */
export function pieceOf(xyz: number[], tags: number[], values?: number[]): Piece<CloudDetailPiece> {
  const count = tags.length;
  const data = new ArrayBuffer(count * (values ? 20 : 16));
  new Float32Array(data, 0, 3 * count).set(xyz);
  new Uint32Array(data, 12 * count, count).set(tags);
  if (values) new Float32Array(data, 16 * count, count).set(values);
  const head: CloudDetailPiece = { kind: "detail", count, valued: values !== undefined };
  return { request: 1, head, data: new DataView(data) };
}
