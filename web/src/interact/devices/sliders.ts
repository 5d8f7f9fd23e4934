// A box of sliders or buttons: one axis per thing it moves, or six that push a frame.
import { type Device, type Reading, TWIST_AXES } from "./device.ts";

export class SlidersDevice implements Device {
  readonly isConnected = true;
  stirred: (() => void) | null = null;
  private readonly values: number[];
  private readonly isPressed: boolean[];
  /** Axes that were set since the last reading. */
  private readonly fresh = new Set<number>();

  constructor(
    readonly name: string,
    readonly axisNames: readonly string[],
    buttons = 0,
    readonly kind: Device["kind"] = "absolute",
    readonly type: "sliders" | "buttons" = "sliders",
  ) {
    this.values = axisNames.map(() => 0);
    this.isPressed = Array.from({ length: buttons }, () => false);
  }

  /** Moves a slider to a value (-1 … 1, or the joint's own unit where the mapping says so). */
  set(axis: number, value: number): void {
    if (axis < 0 || axis >= this.values.length || !Number.isFinite(value)) return;
    this.values[axis] = value;
    this.fresh.add(axis);
    this.stirred?.();
  }

  press(button: number, isDown: boolean): void {
    if (button in this.isPressed) this.isPressed[button] = isDown;
    this.stirred?.();
  }

  /** Absolute: what was set, once, NaN for what was not. Incremental: as long as one is pushed. */
  read(): Reading | null {
    const isAbsolute = this.kind === "absolute";
    if (isAbsolute ? this.fresh.size === 0 : this.values.every((value) => value === 0)) return null;
    const axes = this.values.map((value, i) => (isAbsolute && !this.fresh.has(i) ? NaN : value));
    this.fresh.clear();
    const pushes = this.axisNames === TWIST_AXES && !isAbsolute;
    return {
      translation: pushes ? [axes[0], axes[1], axes[2]] : [0, 0, 0],
      rotation: pushes ? [axes[3], axes[4], axes[5]] : [0, 0, 0],
      axes,
      buttons: [...this.isPressed],
      pose: null,
    };
  }

  dispose(): void {
    this.fresh.clear();
    this.values.fill(0);
  }
}
