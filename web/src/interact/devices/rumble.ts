// Rumble: what is felt of a simulation, by the motors of gamepads, or of a phone.
import { Felt, type Source } from "./felt.ts";

/** An effect lasts so long, and is renewed somewhat earlier [ms]. */
const EFFECT = 90;
const RENEW = 60;
const FAINT = 0.01;

export interface RumbleMotor {
  playEffect(kind: "dual-rumble", effect: Record<string, number>): Promise<unknown>;
  reset?(): Promise<unknown>;
}

export class Rumble {
  private last = -Infinity;
  private active = false;
  private readonly felt = new Felt();

  constructor(private readonly motors: () => RumbleMotor[] = ownMotors) {}

  /** Call it once per frame; now: [ms]. */
  tick(simulation: Source, now = performance.now()): void {
    const { weak, strong } = this.felt.of(simulation, now);
    if (weak < FAINT) {
      if (this.active) for (const motor of this.motors()) void motor.reset?.().catch(ignore);
      this.active = false;
      return;
    }
    if (now - this.last < RENEW) return;
    this.last = now;
    this.active = true;
    const effect = { duration: EFFECT, weakMagnitude: weak, strongMagnitude: strong };
    for (const motor of this.motors()) void motor.playEffect("dual-rumble", effect).catch(ignore);
  }
}

/** A phone as a motor: it has one strength only, so weaker means shorter. */
export function phoneMotor(vibrate: (pattern: number) => boolean): RumbleMotor {
  return {
    playEffect: (_, { duration = 0, weakMagnitude = 0 }) =>
      Promise.resolve(vibrate(Math.round(duration * weakMagnitude))),
    reset: () => Promise.resolve(vibrate(0)),
  };
}

const ignore = (): void => undefined;

function ownMotors(): RumbleMotor[] {
  const { navigator } = globalThis;
  const pads = [...(navigator?.getGamepads?.() ?? [])].flatMap((pad) => {
    const motor = pad?.vibrationActuator as RumbleMotor | null | undefined;
    return motor ? [motor] : [];
  });
  const isHeld = globalThis.matchMedia?.("(pointer: coarse)").matches ?? false;
  if (pads.length || !isHeld || !navigator?.vibrate) return pads;
  return [phoneMotor((pattern) => navigator.vibrate(pattern))];
}
