// A mechanism as a stick figure: bars from each link's joint to the joints it carries.
import type { ModelData } from "../../wire/messages.ts";

type Flat = [number, number];

/** An SVG path inside width × height; poses: 7 numbers per site, loops: 14 per loop. */
export function stickFigure(
  data: ModelData,
  poses: Float64Array,
  loops: Float64Array,
  width: number,
  height: number,
): string {
  const flat = data.planar ? planeOf(data, poses) : corner;
  const place = (array: Float64Array, at: number): Flat =>
    flat(array[at + 4], array[at + 5], array[at + 6]);
  const bars: [Flat, Flat][] = [];
  for (const joint of data.joints) {
    if (joint.is_cut) continue;
    const own = place(poses, 7 * joint.child);
    // the base has no bar of its own but the line between the joints that stand on it
    if (joint.parent !== 0) bars.push([place(poses, 7 * joint.parent), own]);
    else bars.push([own, own]);
  }
  data.loops.forEach((loop, i) => {
    const cut = data.joints[loop.joint];
    if (cut.parent !== 0) bars.push([place(poses, 7 * cut.parent), place(loops, 14 * i)]);
    if (cut.child !== 0) bars.push([place(poses, 7 * cut.child), place(loops, 14 * i + 7)]);
  });
  for (let i = 0; i < data.frames.length; ++i) {
    const link = data.frames[i].link;
    if (link !== 0) bars.push([place(poses, 7 * link), place(poses, 7 * (data.links.length + i))]);
  }
  return fitted(bars, width, height);
}

/** Seen from a corner, a little from above. */
function corner(x: number, y: number, z: number): Flat {
  return [0.82 * x - 0.57 * y, -(z + 0.26 * x + 0.37 * y)];
}

/** The plane in which it moves, seen straight on: the two axes of largest extent. */
function planeOf(data: ModelData, poses: Float64Array): (x: number, y: number, z: number) => Flat {
  const spread = [0, 1, 2].map((axis) => {
    const values = data.links.map((_, i) => poses[7 * i + 4 + axis]);
    return Math.max(...values) - Math.min(...values);
  });
  const least = spread.indexOf(Math.min(...spread));
  const axes = [0, 1, 2].filter((axis) => axis !== least);
  return (...point) => [point[axes[0]], -point[axes[1]]];
}

function fitted(bars: [Flat, Flat][], width: number, height: number): string {
  const points = bars.flat();
  if (!points.length) return "";
  const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const scale = Math.min((width - 8) / (wide || 1e-9), (height - 8) / (high || 1e-9));
  const put = ([x, y]: Flat): string => {
    const px = width / 2 + (x - left - wide / 2) * scale;
    const py = height / 2 + (y - top - high / 2) * scale;
    return `${px.toFixed(1)} ${py.toFixed(1)}`;
  };
  return bars.map(([a, b]) => `M${put(a)}L${put(b)}`).join("");
}
