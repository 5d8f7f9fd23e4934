// Pieces of a job's result: binary, little endian; src/kinegen/studio/wire/frames.py says the same.
export interface Piece<Head = Record<string, unknown>> {
  request: number;
  /** What the data are; the types are in messages.ts. */
  head: Head;
  /** Its numbers; begins at a multiple of 8 bytes of its buffer. */
  data: DataView<ArrayBuffer>;
}

/** Takes the pieces of one kind of question; which kind, only who asked knows. */
export type PieceTaker = (piece: Piece<never>) => void;

const HEAD = 16;
const PIECE = 2;

/** The piece of a frame, null when it is none. */
export function unpackPiece(buffer: ArrayBuffer): Piece | null {
  if (buffer.byteLength < HEAD) return null;
  const view = new DataView(buffer);
  const [kind, request, words, bytes] = [0, 4, 8, 12].map((at) => view.getUint32(at, true));
  if (kind !== PIECE || buffer.byteLength !== HEAD + words + bytes) return null;
  try {
    const text = new TextDecoder().decode(new Uint8Array(buffer, HEAD, words));
    const head = JSON.parse(text) as Record<string, unknown>;
    return { request, head, data: new DataView(buffer, HEAD + words, bytes) };
  } catch {
    return null; // not a piece: nothing could be done about it
  }
}

/** Float32 numbers of a piece, without copying them. */
export function floats(
  { data }: Piece<unknown>,
  first = 0,
  count?: number,
): Float32Array<ArrayBuffer> {
  const at = data.byteOffset + 4 * first;
  return new Float32Array(data.buffer, at, count ?? (data.byteLength >> 2) - first);
}
