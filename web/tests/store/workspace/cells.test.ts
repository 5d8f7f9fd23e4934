import { expect, it } from "vitest";

import { Cells, outline, runs, sheetArea } from "../../../src/store/workspace/cells.ts";

/** A box of 2 × 3 × 4 cells in which those of a list are filled. */
function box(...filled: [number, number, number][]): Cells {
  const bits = new Uint8Array(3);
  for (const [i, j, k] of filled) {
    const index = (i * 3 + j) * 4 + k;
    bits[index >> 3] |= 1 << (index & 7);
  }
  const data = {
    first: [10, -1, 0],
    shape: [2, 3, 4],
    cell: 0.5,
    outside: 0.5,
    origin: [0, 0, 0.1],
  };
  return new Cells(data, bits);
}

it("knows where its cells are", () => {
  const cells = box([1, 2, 3]);
  expect(cells.isFilled(23)).toBe(true);
  expect(cells.isFilled(22)).toBe(false);
  expect(cells.span(0)).toEqual([5, 6]);
  expect(cells.span(1)).toEqual([-0.5, 1]);
  expect(cells.span(2)[0]).toBeCloseTo(0.1);
});

it("is cut across each axis", () => {
  const cells = box([1, 2, 3], [1, 0, 0], [0, 2, 3]);
  expect([...cells.section(0, 5.7).filled]).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect([...cells.section(1, 0.7).filled]).toEqual([0, 0, 0, 1, 0, 0, 0, 1]);
  const top = cells.section(2, 1.65);
  expect([top.rows, top.columns]).toEqual([2, 3]);
  expect([...top.filled]).toEqual([0, 0, 1, 0, 0, 1]);
  expect([...cells.section(2, 9).filled]).toEqual([0, 0, 0, 0, 0, 0]);
});

it("goes back to the studio as it came", () => {
  const cells = box([0, 0, 0], [1, 2, 3]);
  const { bits, grid } = cells.packed();
  expect(Uint8Array.from(atob(bits), (one) => one.charCodeAt(0))).toEqual(cells.bits);
  expect(grid).toEqual(cells.data);
});

const sheet = {
  rows: 3,
  columns: 4,
  filled: Uint8Array.from([1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1]),
};

it("counts the area of a section, half of its edge being outside", () => {
  // only the middle one has filled cells on all sides
  expect(sheetArea(sheet, 0.5)).toEqual({ value: 10 - 4.5, error: 4.5 });
  expect(sheetArea(sheet, 0)).toEqual({ value: 10, error: 4.5 });
});

it("draws a section as few rectangles and the line around it", () => {
  expect(runs(sheet)).toEqual([
    [0, 0, 3],
    [1, 0, 3],
    [2, 0, 4],
  ]);
  const sides = outline(sheet);
  expect(sides).toHaveLength(14);
  // every corner has as many sides coming as going: it is closed
  const ends = new Map<string, number>();
  for (const [i, j, k, l] of sides)
    for (const end of [`${i},${j}`, `${k},${l}`]) ends.set(end, (ends.get(end) ?? 0) + 1);
  expect([...ends.values()].every((count) => count % 2 === 0)).toBe(true);
});
