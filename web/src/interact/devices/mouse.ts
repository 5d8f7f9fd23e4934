// The mouse as a device that the file declares: with Ctrl held it moves what the file names.
import { type Device, type Reading, TWIST_AXES, twistReading } from "./device.ts";

/** So many pixels a second are full deflection. */
const FULL = 400;
/** A step of the wheel counts as so many pixels. */
const WHEEL = 0.3;

export class MouseDevice implements Device {
  readonly name = "mouse";
  readonly type = "mouse";
  readonly kind = "incremental";
  readonly axisNames = TWIST_AXES;
  readonly isConnected = true;
  stirred: (() => void) | null = null;
  /** Only then does it take the pointer away from the view. */
  isDeclared = false;
  private readonly abort = new AbortController();
  private pixels: [number, number, number] = [0, 0, 0];
  private turning = false;
  private readAt: number;

  constructor(
    target: EventTarget | null,
    private readonly clock: () => number = () => performance.now() / 1000,
  ) {
    this.readAt = clock();
    const options = { signal: this.abort.signal, capture: true, passive: false };
    const listen = (name: string, heard: (event: PointerEvent & WheelEvent) => void) =>
      target?.addEventListener(
        name,
        (event) => {
          const pointer = event as PointerEvent & WheelEvent;
          if (!this.isDeclared || !(pointer.ctrlKey || pointer.metaKey)) return;
          event.preventDefault();
          event.stopImmediatePropagation();
          heard(pointer);
        },
        options,
      );
    listen("pointerdown", () => undefined);
    listen("pointermove", (event) => {
      if (event.buttons & 3) this.push(event.movementX, -event.movementY, 0, event.altKey);
    });
    listen("wheel", (event) => this.push(0, 0, -WHEEL * event.deltaY, event.altKey));
    listen("contextmenu", () => undefined);
  }

  /** Takes a motion [px]: to the right, up, away from the user. */
  push(right: number, up: number, away: number, turning = false): void {
    this.turning = turning;
    this.pixels = [this.pixels[0] + right, this.pixels[1] + up, this.pixels[2] + away];
    this.stirred?.();
  }

  /** The motion since the last reading as a speed: the way of the mouse is what counts. */
  read(): Reading | null {
    const now = this.clock();
    const passed = Math.min(0.1, Math.max(1e-3, now - this.readAt));
    this.readAt = now;
    const [right, up, away] = this.pixels;
    if (right === 0 && up === 0 && away === 0) return null;
    this.pixels = [0, 0, 0];
    const [x, y, z] = [right, away, up].map((pixels) => pixels / FULL / passed);
    // turned as a ball under the hand
    return twistReading(this.turning ? [0, 0, 0, -z, y, x] : [x, y, z, 0, 0, 0]);
  }

  dispose(): void {
    this.abort.abort();
  }
}
