// Arrow and page keys as an incremental device: they move or, with Alt, turn what is selected.
import { type Device, type Reading, TWIST_AXES, twistReading } from "./device.ts";

/** Axis (0 x, 1 y, 2 z) and direction of each key. */
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowDown: [1, -1],
  ArrowUp: [1, 1],
  PageDown: [2, -1],
  PageUp: [2, 1],
};
/** What Shift leaves of a key's deflection. */
const FINE = 0.2;

export class KeyboardDevice implements Device {
  readonly name = "keyboard";
  readonly type = "keyboard";
  readonly kind = "incremental";
  readonly axisNames = TWIST_AXES;
  readonly isConnected = true;
  stirred: (() => void) | null = null;

  private readonly pressed = new Set<string>();
  private isTurning = false;
  private isFine = false;

  constructor(private readonly target: EventTarget | null = null) {
    target?.addEventListener("keydown", this.onKey);
    target?.addEventListener("keyup", this.onKey);
    target?.addEventListener("blur", this.letGo);
  }

  /** Takes a key press or release; true when it was one of its keys. */
  press(key: string, isDown: boolean, modifiers: { alt: boolean; shift: boolean }): boolean {
    this.isTurning = modifiers.alt;
    this.isFine = modifiers.shift;
    if (!Object.hasOwn(KEYS, key)) return false;
    if (isDown) this.pressed.add(key);
    else this.pressed.delete(key);
    this.stirred?.();
    return true;
  }

  read(): Reading | null {
    if (this.pressed.size === 0) return null;
    const twist = [0, 0, 0, 0, 0, 0];
    for (const key of this.pressed) {
      const [axis, sign] = KEYS[key];
      // up and down tilt about x, left and right turn about y, the page keys about z
      const at = this.isTurning ? 3 + [1, 0, 2][axis] : axis;
      twist[at] += sign * (this.isFine ? FINE : 1);
    }
    return twistReading(twist);
  }

  dispose(): void {
    this.target?.removeEventListener("keydown", this.onKey);
    this.target?.removeEventListener("keyup", this.onKey);
    this.target?.removeEventListener("blur", this.letGo);
    this.letGo();
  }

  private readonly letGo = (): void => this.pressed.clear();

  private readonly onKey = (event: Event): void => {
    const { key, type, altKey: alt, shiftKey: shift, ctrlKey, metaKey } = event as KeyboardEvent;
    const isDown = type === "keydown";
    // a key that went down elsewhere must still come up here
    if (isDown && (ctrlKey || metaKey || event.defaultPrevented || isTyping(event.target))) return;
    if (this.press(key, isDown, { alt, shift }) && isDown) event.preventDefault();
  };
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as Partial<HTMLElement> | null;
  return (
    element?.closest?.("input, textarea, select, [contenteditable], [role=slider], [role=tab]") !=
    null
  );
}
