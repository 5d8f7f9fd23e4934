// The unit of a mesh file: STL and OBJ do not state it, and drawings are mostly in millimetres.

/** A mesh that is so many times as large as the mechanism is not meant in metres. */
const TOO_LARGE = 20;

/** The factor that makes metres of a file's numbers: 1, or 0.001 where that is likelier. */
export function meshScale(name: string, data: ArrayBuffer, size: number): 1 | 0.001 {
  const kind = name.split(".").at(-1)?.toLowerCase();
  const extent = kind === "stl" ? stlExtent(data) : kind === "obj" ? textExtent(data, "v") : 0;
  return extent > TOO_LARGE * size ? 0.001 : 1;
}

function stlExtent(data: ArrayBuffer): number {
  const view = new DataView(data);
  const count = data.byteLength >= 84 ? view.getUint32(80, true) : 0;
  if (data.byteLength !== 84 + 50 * count) return textExtent(data, "vertex");
  const range = new Range();
  for (let i = 0; i < count; ++i)
    for (let k = 3; k < 12; ++k) range.add(k % 3, view.getFloat32(84 + 50 * i + 4 * k, true));
  return range.extent;
}

/** Of lines such as 'v 1 2 3'. */
function textExtent(data: ArrayBuffer, word: string): number {
  const range = new Range();
  const lines = new TextDecoder()
    .decode(data)
    .matchAll(new RegExp(`^\\s*${word}\\s+(\\S+)\\s+(\\S+)\\s+(\\S+)`, "gm"));
  for (const found of lines) for (let k = 0; k < 3; ++k) range.add(k, Number(found[k + 1]));
  return range.extent;
}

class Range {
  private readonly low = [Infinity, Infinity, Infinity];
  private readonly high = [-Infinity, -Infinity, -Infinity];

  add(axis: number, value: number): void {
    if (!Number.isFinite(value)) return;
    this.low[axis] = Math.min(this.low[axis], value);
    this.high[axis] = Math.max(this.high[axis], value);
  }

  /** The longest side; 0 without points. */
  get extent(): number {
    return Math.max(0, ...this.high.map((high, k) => high - this.low[k]));
  }
}
