import { expect, test } from "vitest";
import { floats, isPieceOf, unpackPiece } from "../../src/wire/piece-frame.ts";

function frame(head: string, numbers: number[], kind = 2): ArrayBuffer {
  const text = new TextEncoder().encode(head.padEnd(Math.ceil(head.length / 8) * 8));
  const buffer = new ArrayBuffer(16 + text.length + 4 * numbers.length);
  const view = new DataView(buffer);
  [kind, 7, text.length, 4 * numbers.length].forEach((n, i) => view.setUint32(4 * i, n, true));
  new Uint8Array(buffer, 16).set(text);
  numbers.forEach((n, i) => view.setFloat32(16 + text.length + 4 * i, n, true));
  return buffer;
}

test("a piece has its head and its numbers", () => {
  const piece = unpackPiece(frame('{"kind": "points", "first": 3}', [1, 2.5, -4]))!;
  expect(piece.request).toBe(7);
  expect(piece.head).toEqual({ kind: "points", first: 3 });
  expect([...floats(piece)]).toEqual([1, 2.5, -4]);
  expect([...floats(piece, 1, 1)]).toEqual([2.5]);
});

test("a piece belongs to the questions that are answered with it", () => {
  const piece = unpackPiece(frame('{"kind": "points", "first": 0}', [1]))!;
  expect(isPieceOf("cloud", piece)).toBe(true);
  expect(isPieceOf("mobility", piece)).toBe(false);
});

test("what is no piece is none", () => {
  expect(unpackPiece(new ArrayBuffer(8))).toBeNull();
  expect(unpackPiece(frame("{}", [1], 1))).toBeNull();
  expect(unpackPiece(frame("not JSON", [1]))).toBeNull();
  expect(unpackPiece(frame('{"kind": "nonsense"}', [1]))).toBeNull();
  expect(unpackPiece(frame("{}", [1, 2]).slice(0, -4))).toBeNull();
});
