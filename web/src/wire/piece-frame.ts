// Pieces of a job's result.
import { HEAD_SIZE, readPieceHead } from "./frames.ts";
import { type PieceHead, type PieceOf, PIECES, type QuestionKind } from "./messages.ts";

export interface Piece<Head = PieceHead> {
  request: number;
  /** What the data are; the types are in messages.ts. */
  head: Head;
  /** Its numbers; begins at a multiple of 8 bytes of its buffer. */
  data: DataView<ArrayBuffer>;
}

/** Takes the pieces of a question, of whatever kind it is. */
export type PieceTaker = (piece: Piece) => void;

const KINDS = new Set(Object.values<readonly string[]>(PIECES).flat());

/** Whether a piece is one that comes before the answer to a kind of question. */
export function isPieceOf<K extends QuestionKind>(
  kind: K,
  piece: Piece,
): piece is Piece<PieceOf<K>> {
  const kinds: readonly string[] = PIECES[kind];
  return kinds.includes(piece.head.kind);
}

function isHead(head: unknown): head is PieceHead {
  const kind = typeof head === "object" && head !== null && "kind" in head ? head.kind : null;
  return typeof kind === "string" && KINDS.has(kind);
}

/** The piece of a frame, null when it is none. */
export function unpackPiece(buffer: ArrayBuffer): Piece | null {
  const words = readPieceHead(new DataView(buffer));
  if (words === null) return null;
  const { request, text_size, data_size } = words;
  if (buffer.byteLength !== HEAD_SIZE + text_size + data_size) return null;
  try {
    const text = new TextDecoder().decode(new Uint8Array(buffer, HEAD_SIZE, text_size));
    const head: unknown = JSON.parse(text);
    if (!isHead(head)) return null;
    return { request, head, data: new DataView(buffer, HEAD_SIZE + text_size, data_size) };
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
