// Rumble: what a hand on a simulation feels, by the motors of a gamepad.
import type { Simulation } from "../../store/simulation.ts";

/** An effect lasts so long, and is renewed somewhat earlier [ms]. */
const EFFECT = 90;
const RENEW = 60;
/** The force that is felt half as strongly as can be [N]. */
const HALF = 40;

export interface RumbleMotor {
  playEffect(kind: "dual-rumble", effect: Record<string, number>): Promise<unknown>;
  reset?(): Promise<unknown>;
}

/** Share of the strongest rumble for a force [N]. */
export function rumbleShare(force: number): number {
  return force > 0 ? force / (force + HALF) : 0;
}

export class Rumble {
  private last = -Infinity;
  private active = false;

  constructor(private readonly motors: () => RumbleMotor[] = padMotors) {}

  /** Call it once per frame; now: [ms]. */
  tick(simulation: Pick<Simulation, "isRunning" | "force">, now = performance.now()): void {
    const share = simulation.isRunning ? rumbleShare(simulation.force) : 0;
    if (share < 0.01) {
      if (this.active) for (const motor of this.motors()) void motor.reset?.().catch(ignore);
      this.active = false;
      return;
    }
    if (now - this.last < RENEW) return;
    this.last = now;
    this.active = true;
    const effect = { duration: EFFECT, weakMagnitude: share, strongMagnitude: share * share };
    for (const motor of this.motors()) void motor.playEffect("dual-rumble", effect).catch(ignore);
  }
}

const ignore = (): void => undefined;

function padMotors(): RumbleMotor[] {
  const pads = globalThis.navigator?.getGamepads?.() ?? [];
  return [...pads].flatMap((pad) => {
    const motor = pad?.vibrationActuator as RumbleMotor | null | undefined;
    return motor ? [motor] : [];
  });
}
