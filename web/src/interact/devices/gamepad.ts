// Gamepads: sticks and triggers as a twist, rumble where something is near.
import { type Device, type Reading, TWIST_AXES, withoutSlack } from "./device.ts";

/** The part of a Gamepad that is used. */
export interface Pad {
  readonly id: string;
  readonly connected: boolean;
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean; readonly value: number }[];
  readonly vibrationActuator?: {
    playEffect(type: "dual-rumble", parameters: Record<string, number>): Promise<unknown>;
  } | null;
}

/** Sticks rest somewhere within this. */
const SLACK = 0.12;
const LEFT_TRIGGER = 6;
const RIGHT_TRIGGER = 7;
const LEFT_BUMPER = 4;
const RIGHT_BUMPER = 5;
/** When a pad comes or goes. */
const PLUGS = ["gamepadconnected", "gamepaddisconnected"] as const;
/** Rumble is renewed before it ends [ms]. */
const RUMBLE = 120;

/** A pad's sticks as a twist: left stick x y, triggers z, right stick turns, bumpers roll. */
export function padReading(pad: Pad): Reading {
  const axes = pad.axes.map((value) => withoutSlack(value, SLACK));
  const button = (i: number): number => pad.buttons[i]?.value ?? 0;
  return {
    translation: [axes[0] ?? 0, -(axes[1] ?? 0) || 0, button(RIGHT_TRIGGER) - button(LEFT_TRIGGER)],
    rotation: [axes[3] ?? 0, axes[2] ?? 0, button(LEFT_BUMPER) - button(RIGHT_BUMPER)],
    axes,
    buttons: pad.buttons.map((one) => one.pressed),
    pose: null,
  };
}

export class GamepadDevice implements Device {
  readonly type = "gamepad";
  readonly kind = "incremental";
  readonly axisNames = TWIST_AXES;
  stirred: (() => void) | null = null;
  private rumbledAt = -Infinity;
  /** Asking for pads costs something each time: only where there is one. */
  private isAny: boolean;

  constructor(
    readonly name = "gamepad",
    private readonly pads: () => readonly (Pad | null)[] = browserPads,
    private readonly clock: () => number = () => performance.now(),
    private readonly events: EventTarget | undefined = globalThis.window,
  ) {
    // browsers report a pad at its first button, and those that were there before at once
    this.isAny = pads().some(Boolean);
    for (const name of PLUGS) events?.addEventListener(name, this.plugged);
  }

  get isConnected(): boolean {
    return this.pad() !== null;
  }

  read(): Reading | null {
    const pad = this.pad();
    if (pad === null) return null;
    const reading = padReading(pad);
    const isResting = [...reading.translation, ...reading.rotation].every((value) => value === 0);
    return isResting && !reading.buttons.some(Boolean) ? null : reading;
  }

  feel(strength: number): void {
    const actuator = this.pad()?.vibrationActuator;
    const now = this.clock();
    if (!actuator || !(strength > 0) || now - this.rumbledAt < 0.75 * RUMBLE) return;
    this.rumbledAt = now;
    const magnitude = Math.min(1, strength);
    actuator
      .playEffect("dual-rumble", {
        duration: RUMBLE,
        strongMagnitude: magnitude,
        weakMagnitude: magnitude / 2,
      })
      .catch(() => undefined); // a pad that was just pulled out
  }

  dispose(): void {
    this.rumbledAt = -Infinity;
    for (const name of PLUGS) this.events?.removeEventListener(name, this.plugged);
  }

  private readonly plugged = (): void => {
    this.isAny = this.pads().some(Boolean);
    this.stirred?.();
  };

  private pad(): Pad | null {
    return (this.isAny && this.pads().find((pad) => pad?.connected)) || null;
  }
}

function browserPads(): readonly (Pad | null)[] {
  return (globalThis.navigator?.getGamepads?.() ?? []) as readonly (Pad | null)[];
}
