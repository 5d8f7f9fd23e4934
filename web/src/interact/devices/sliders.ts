// A box of sliders and buttons: each slider is one axis with a value of its own.
import type { Device, Reading } from "./device.ts";

export class SlidersDevice implements Device {
  readonly type = "sliders";
  readonly kind = "absolute";
  readonly isConnected = true;
  private readonly values: number[];
  private readonly isPressed: boolean[];
  private isNew = false;

  constructor(
    readonly name: string,
    readonly axisNames: readonly string[],
    buttons = 0,
  ) {
    this.values = axisNames.map(() => 0);
    this.isPressed = Array.from({ length: buttons }, () => false);
  }

  /** Moves a slider to a value (-1 … 1, or the joint's own unit where the mapping says so). */
  set(axis: number, value: number): void {
    if (axis < 0 || axis >= this.values.length || !Number.isFinite(value)) return;
    this.values[axis] = value;
    this.isNew = true;
  }

  press(button: number, isDown: boolean): void {
    if (button in this.isPressed) this.isPressed[button] = isDown;
  }

  /** What the sliders say, once after each change. */
  read(): Reading | null {
    if (!this.isNew) return null;
    this.isNew = false;
    return {
      translation: [0, 0, 0],
      rotation: [0, 0, 0],
      axes: [...this.values],
      buttons: [...this.isPressed],
      pose: null,
    };
  }

  dispose(): void {
    this.isNew = false;
  }
}
