// Flying with W A S D, Q and E: while the right button is held, or when switched on.
import type { OrbitCamera } from "./camera.ts";

const KEYS: Record<string, [right: number, up: number, ahead: number] | undefined> = {
  KeyW: [0, 0, 1],
  KeyS: [0, 0, -1],
  KeyA: [-1, 0, 0],
  KeyD: [1, 0, 0],
  KeyE: [0, 1, 0],
  KeyQ: [0, -1, 0],
};

export class FlyKeys {
  /** Keys that are down now. */
  readonly keys = new Set<string>();
  /** Whether flying is on without the right button. */
  toggled = false;
  private held = false;
  private readonly abort = new AbortController();

  constructor(
    canvas: HTMLCanvasElement,
    private readonly changed: () => void,
  ) {
    const { signal } = this.abort;
    const right = (down: boolean) => (event: PointerEvent) => {
      if (event.button !== 2) return;
      this.held = down;
      if (!down && !this.toggled) this.keys.clear();
    };
    canvas.addEventListener("pointerdown", right(true), { signal });
    addEventListener("pointerup", right(false), { signal });
    addEventListener("keydown", (event) => this.key(event, true), { signal });
    addEventListener("keyup", (event) => this.key(event, false), { signal });
    addEventListener("blur", () => this.keys.clear(), { signal });
  }

  get active(): boolean {
    return this.toggled || (this.held && this.keys.size > 0);
  }

  /** Moves the eye for the time that has passed; whether it moves at all. */
  advance(camera: OrbitCamera, seconds: number): boolean {
    if (!this.keys.size) return false;
    const speed = 0.9 * camera.eye.distance * Math.min(seconds, 0.05);
    const sum = [0, 0, 0];
    for (const key of this.keys) KEYS[key]?.forEach((x, i) => (sum[i] += x * speed));
    camera.fly(sum[0], sum[1], sum[2]);
    return true;
  }

  dispose(): void {
    this.abort.abort();
  }

  private key(event: KeyboardEvent, down: boolean): void {
    if (!(event.code in KEYS)) return;
    if (!down) {
      this.keys.delete(event.code);
      return;
    }
    const { target } = event;
    const typing =
      target instanceof HTMLElement &&
      (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.held && !this.toggled) return;
    this.keys.add(event.code);
    event.preventDefault();
    this.changed();
  }
}
