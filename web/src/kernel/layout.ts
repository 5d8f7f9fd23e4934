// Where the parts of a model's two blocks lie: src/kinegen/kernels/layout.py says the same.
export const HEADER_SIZE = 16;
export const TRANSFORM_SIZE = 12;
const INERTIA_SIZE = 10;
const DRIVE_SIZE = 9;

export interface Counts {
  link: number;
  joint: number;
  loop: number;
  frame: number;
  placement: number;
  parameter: number;
  constant: number;
  nq: number;
  nv: number;
}

export function readCounts(ints: Int32Array): Counts {
  const [, link, joint, loop, frame, placement, parameter, , , constant, , nq, nv] = ints;
  return { link, joint, loop, frame, placement, parameter, constant, nq, nv };
}

/** A part of the float block: [first, end). */
export type Part = readonly [number, number];

export type RealPart =
  | "parameters"
  | "placements"
  | "pitch"
  | "lower"
  | "upper"
  | "speed"
  | "effort"
  | "start"
  | "inertia"
  | "gravity"
  | "drive"
  | "constants"
  | "transforms";

export function realParts(counts: Counts): Record<RealPart, Part> {
  let at = 0;
  const take = (size: number): Part => [at, (at += size)];
  return {
    parameters: take(counts.parameter),
    placements: take(6 * counts.placement),
    pitch: take(counts.joint),
    lower: take(counts.nv),
    upper: take(counts.nv),
    speed: take(counts.nv),
    effort: take(counts.nv),
    start: take(counts.nq),
    inertia: take(INERTIA_SIZE * counts.link),
    gravity: take(3),
    drive: take(DRIVE_SIZE * counts.nv),
    constants: take(counts.constant),
    transforms: take(TRANSFORM_SIZE * counts.placement),
  };
}
