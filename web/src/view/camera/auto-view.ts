// The direction a mechanism is first seen from: as the pictures of src/kinegen/formats/drawing/pictures/svg.py.
import { type Quaternion, Vector3 } from "three";

/** Azimuth and elevation of the eye [deg]. */
export type Direction = [number, number];

const USUAL: Direction = [-55, 24];
const DEGREE = Math.PI / 180;

/** Face-on for flat mechanisms, else where the joints spread most over the picture. */
export function autoView(
  poses: ArrayLike<number>,
  linkCount: number,
  normal: Vector3 | null,
  upright: Quaternion,
): Direction {
  const level = upright.clone().invert();
  if (normal) {
    const facing = normal.clone().applyQuaternion(level);
    // Almost face-on, a little from the side, so that one still sees it is solid.
    if (Math.abs(facing.z) > 0.7) return [-96, 60];
    return [Math.atan2(facing.y, facing.x) / DEGREE + 16, 14];
  }
  const points: [number, number, number][] = [];
  for (let i = 0; i < linkCount; i++)
    points.push(
      new Vector3(poses[7 * i + 4], poses[7 * i + 5], poses[7 * i + 6])
        .applyQuaternion(level)
        .toArray(),
    );
  let best = USUAL;
  let score = -1;
  for (const azimuth of [USUAL[0], -35, -70, -120, -145]) {
    const spread = area(points, azimuth, USUAL[1]);
    // Keep the usual view unless another one is clearly better.
    if (spread > 1.15 * score) [best, score] = [[azimuth, USUAL[1]], spread];
  }
  return best;
}

/** How much of the picture points spread over, seen from a direction. */
function area(points: [number, number, number][], azimuth: number, elevation: number): number {
  const [ca, sa] = [Math.cos(azimuth * DEGREE), Math.sin(azimuth * DEGREE)];
  const [ce, se] = [Math.cos(elevation * DEGREE), Math.sin(elevation * DEGREE)];
  const flat = points.map(([x, y, z]) => [-sa * x + ca * y, -se * ca * x - se * sa * y + ce * z]);
  const mean = [0, 1].map((i) => flat.reduce((sum, p) => sum + p[i], 0) / flat.length);
  let [xx, xy, yy] = [0, 0, 0];
  for (const [u, v] of flat) {
    xx += (u - mean[0]) ** 2;
    xy += (u - mean[0]) * (v - mean[1]);
    yy += (v - mean[1]) ** 2;
  }
  return Math.sqrt(Math.max(0, xx * yy - xy * xy));
}
