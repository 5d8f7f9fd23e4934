// What an input device is to the page: a twist, a pose, or plain axes, read once per frame.
import type { Four, Three } from "../../kernel/spatial.ts";

/** A reading. Incremental devices give a share of full deflection, -1 … 1. */
export interface Reading {
  /** x y z, world axes unless the mapping says otherwise. */
  translation: Three;
  /** About x y z. */
  rotation: Three;
  /** Everything it has, by the names of `Device.axisNames`. */
  axes: readonly number[];
  buttons: readonly boolean[];
  /** The pose of an absolute device; null for others. */
  pose: { position: Three; quat: Four } | null;
}

export interface Device {
  readonly name: string;
  /** As in the file: keyboard, sliders, gamepad, spacemouse, … */
  readonly type: string;
  readonly kind: "absolute" | "incremental";
  readonly axisNames: readonly string[];
  readonly isConnected: boolean;
  /** Called when there is something to read again after there was nothing. */
  stirred: (() => void) | null;
  /** Null while there is nothing to read. */
  read(): Reading | null;
  /** Lets the user feel something, 0 … 1; devices that cannot do nothing. */
  feel?(strength: number): void;
  dispose(): void;
}

export const TWIST_AXES = ["x", "y", "z", "rx", "ry", "rz"] as const;

/** The reading of a twist of six numbers. */
export function twistReading(twist: ArrayLike<number>, buttons: readonly boolean[] = []): Reading {
  return {
    translation: [twist[0], twist[1], twist[2]],
    rotation: [twist[3], twist[4], twist[5]],
    axes: Array.from(twist),
    buttons,
    pose: null,
  };
}

/** A stick's value without its slack about the middle: still continuous, still up to 1. */
export function withoutSlack(value: number, slack: number): number {
  const size = Math.abs(value);
  if (!(size > slack)) return 0;
  return Math.sign(value) * Math.min(1, (size - slack) / (1 - slack));
}
