// A tracker of the file whose poses the studio receives: its frame moves as the tracker does.
import type { Trackers } from "../../store/trackers.ts";
import type { Device, Reading } from "./device.ts";

export class TrackerDevice implements Device {
  readonly type = "tracker";
  readonly kind = "absolute";
  readonly axisNames: readonly string[] = [];
  stirred: (() => void) | null = null;

  constructor(
    readonly name: string,
    private readonly trackers: Trackers,
  ) {}

  /** Whether it is tracked now. */
  get isConnected(): boolean {
    return this.trackers.on.get(this.name)?.pose != null;
  }

  read(): Reading | null {
    const pose = this.trackers.on.get(this.name)?.pose;
    if (!pose) return null;
    const [w, x, y, z, ...position] = pose;
    return {
      ...{ translation: [0, 0, 0], rotation: [0, 0, 0], axes: [], buttons: [] },
      pose: { position: position as [number, number, number], quat: [w, x, y, z] },
    };
  }

  dispose(): void {
    this.stirred = null;
  }
}
