// Cells of a body in the page: which are filled, sections through them, and how large those are.
import type { CellsData, GridData } from "../../wire/messages.ts";

/** Filled cells of a plane: columns are fastest. */
export interface Sheet {
  rows: number;
  columns: number;
  filled: Uint8Array;
}

export class Cells {
  constructor(
    readonly data: GridData,
    readonly bits: Uint8Array,
  ) {}

  get dimension(): number {
    return this.data.shape.length;
  }

  isFilled(index: number): boolean {
    return ((this.bits[index >> 3] >> (index & 7)) & 1) === 1;
  }

  /** Where cell i of an axis begins [m]; whole numbers and between. */
  place(axis: number, i: number): number {
    const { first, cell, origin } = this.data;
    return (first[axis] + i) * cell + origin[axis];
  }

  /** Lowest and highest place on an axis [m]. */
  span(axis: number): [number, number] {
    return [this.place(axis, 0), this.place(axis, this.data.shape[axis])];
  }

  /** The cells across an axis at a place [m]; rows and columns are the other two axes in order. */
  section(axis: number, at: number): Sheet {
    const { shape, cell } = this.data;
    const index = Math.floor((at - this.place(axis, 0)) / cell);
    const [u, v] = [0, 1, 2].filter((i) => i !== axis);
    const [rows, columns] = [shape[u], shape[v]];
    const filled = new Uint8Array(rows * columns);
    if (index < 0 || index >= shape[axis]) return { rows, columns, filled };
    const steps = [shape[1] * shape[2], shape[2], 1];
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++)
        filled[i * columns + j] = +this.isFilled(index * steps[axis] + i * steps[u] + j * steps[v]);
    return { rows, columns, filled };
  }

  /** As the studio takes them back. */
  packed(): CellsData {
    let text = "";
    for (let i = 0; i < this.bits.length; i += 0x8000)
      text += String.fromCharCode(...this.bits.subarray(i, i + 0x8000));
    return { grid: this.data, bits: btoa(text) };
  }
}

/** Area of a sheet and how far it may be wrong, in cells; the edge runs through the cells at it. */
export function sheetArea(sheet: Sheet, outside: number): { value: number; error: number } {
  const { rows, columns, filled } = sheet;
  let count = 0;
  let edge = 0;
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const k = i * columns + j;
      if (!filled[k]) continue;
      count += 1;
      const isInner =
        i > 0 && i < rows - 1 && j > 0 && j < columns - 1 &&
        filled[k - columns] && filled[k + columns] && filled[k - 1] && filled[k + 1]; // prettier-ignore
      if (!isInner) edge += 1;
    }
  return { value: count - edge * outside, error: edge / 2 };
}

/** Filled cells as few rectangles: row, first column, column behind the last. */
export function runs({ rows, columns, filled }: Sheet): [number, number, number][] {
  const found: [number, number, number][] = [];
  for (let i = 0; i < rows; i++) {
    let from = -1;
    for (let j = 0; j <= columns; j++) {
      const on = j < columns && filled[i * columns + j] === 1;
      if (on && from < 0) from = j;
      if (!on && from >= 0) {
        found.push([i, from, j]);
        from = -1;
      }
    }
  }
  return found;
}

/** Sides between filled and empty cells: ends as row, column, row, column. */
export function outline({ rows, columns, filled }: Sheet): [number, number, number, number][] {
  const on = (i: number, j: number): boolean =>
    i >= 0 && i < rows && j >= 0 && j < columns && filled[i * columns + j] === 1;
  const sides: [number, number, number, number][] = [];
  for (let i = 0; i <= rows; i++)
    for (let j = 0; j <= columns; j++) {
      if (on(i, j) !== on(i - 1, j)) sides.push([i, j, i, j + 1]);
      if (on(i, j) !== on(i, j - 1)) sides.push([i, j, i + 1, j]);
    }
  return sides;
}
