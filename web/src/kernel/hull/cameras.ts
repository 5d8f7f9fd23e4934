// Pinhole cameras of visual hulls: how points of the world appear in their pictures, and rings of
// them. The twin of src/kinegen/hull/camera.py.

export type Point = readonly [number, number, number];

/** A camera without distortion; it looks along its x axis, z is up in its picture. */
export interface PinholeCamera {
  name: string;
  /** [pixels] */
  width: number;
  height: number;
  focal: readonly [number, number];
  /** Where its axis meets the picture [pixels], from the upper left corner. */
  centre: readonly [number, number];
  /** Its rotation by rows (its axes in the world are the columns), then its place [m]: X_WC. */
  pose: readonly number[];
}

export interface RingOptions {
  /** What they look at [m]. */
  target: Point;
  /** From there [m]. */
  distance: number;
  count: number;
  pixels: readonly [number, number];
  /** Vertical opening angle [rad]. */
  fieldOfView: number;
}

const DEGREE = Math.PI / 180;

/** A camera at a place that looks at a target, upright. */
export function lookingAt(
  name: string,
  place: Point,
  target: Point,
  [width, height]: readonly [number, number],
  fieldOfView: number,
): PinholeCamera {
  if (!(fieldOfView > 0 && fieldOfView < Math.PI))
    throw new Error(`camera '${name}': the field of view must be between 0 and 180°`);
  const away = [0, 1, 2].map((i) => target[i] - place[i]);
  const distance = Math.hypot(...away);
  if (!(distance >= 1e-9))
    throw new Error(`camera '${name}' is at its own target: move the camera or the target`);
  const ahead = away.map((x) => x / distance);
  // straight up or down, the upper edge of the picture is towards x
  const up = Math.abs(ahead[2]) < 1 - 1e-9 ? [0, 0, 1] : [1, 0, 0];
  const across = cross(up, ahead);
  const length = Math.hypot(...across);
  const side = across.map((x) => x / length);
  const over = cross(ahead, side);
  const focal = height / 2 / Math.tan(fieldOfView / 2);
  const rows = [0, 1, 2].flatMap((i) => [ahead[i], side[i], over[i]]);
  return {
    name,
    width,
    height,
    focal: [focal, focal],
    centre: [width / 2, height / 2],
    pose: [...rows, ...place],
  };
}

/** Cameras in a ring around a point, alternately 15° below and 35° above it. */
export function cameraRing(options: RingOptions): PinholeCamera[] {
  return ringOf(options, (i) => (i % 2 ? 35 : -15) * DEGREE);
}

/** Cameras in a level ring, all at one height above the floor [m]. */
export function levelRing(options: RingOptions & { height: number }): PinholeCamera[] {
  const { target, distance, height } = options;
  const rise = height - target[2];
  if (Math.abs(rise) >= distance)
    throw new Error(
      "the height of the cameras above or below their target must be less than their distance from it",
    );
  const lift = Math.asin(rise / distance);
  return ringOf(options, () => lift);
}

function ringOf(
  { target, distance, count, pixels, fieldOfView }: RingOptions,
  liftOf: (i: number) => number,
): PinholeCamera[] {
  if (!(Number.isFinite(distance) && distance > 0))
    throw new Error(`the distance of cameras must be greater than 0 m, got ${distance}`);
  return Array.from({ length: count }, (_, i) => {
    const turn = (2 * Math.PI * i) / count;
    const lift = liftOf(i);
    const level = Math.cos(lift);
    const place: Point = [
      target[0] + distance * Math.cos(turn) * level,
      target[1] + distance * Math.sin(turn) * level,
      target[2] + distance * Math.sin(lift),
    ];
    return lookingAt(`camera${i + 1}`, place, target, pixels, fieldOfView);
  });
}

/** World points [m] to column and row times depth, and depth [m]: 3 × 4, by rows. */
export function projection({ focal, centre, pose }: PinholeCamera): Float64Array {
  const axis = (column: number): number[] => [pose[column], pose[3 + column], pose[6 + column]];
  const place = pose.slice(9);
  const rows = [axis(1).map((x) => -x), axis(2).map((x) => -x), axis(0)];
  const full = rows.map((row) => [...row, -dot(row, place)]);
  const [fx, fy] = focal;
  const [cx, cy] = centre;
  const out = new Float64Array(12);
  for (let i = 0; i < 4; ++i) {
    out[i] = fx * full[0][i] + cx * full[2][i];
    out[4 + i] = fy * full[1][i] + cy * full[2][i];
    out[8 + i] = full[2][i];
  }
  return out;
}

/** Corners of a camera's picture at a depth [m], from the upper left clockwise. */
export function cornersAt(camera: PinholeCamera, depth: number): Point[] {
  const { width, height, focal, centre, pose } = camera;
  const corners = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ];
  return corners.map(([u, v]) => {
    const own = [depth, (depth * (centre[0] - u)) / focal[0], (depth * (centre[1] - v)) / focal[1]];
    const inWorld = (i: number): number => dot(pose.slice(3 * i, 3 * i + 3), own) + pose[9 + i];
    return [inWorld(0), inWorld(1), inWorld(2)];
  });
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: readonly number[], b: readonly number[]): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
