// What hands feel: pulses from limits, obstacles, singular poses, loads and impacts, in proportion.
import { Felt, forceShare } from "../interact/devices/felt.ts";
import type { ViewHost } from "../store/hosts.ts";
import type { Actor } from "./hands.ts";

/** A pulse lasts so long, and is renewed somewhat earlier [ms]. */
const PULSE = 45;
const RENEW = 33;
/** Fainter ones are not felt. */
const FAINT = 0.02;
/** A limit that is touched, and the strongest: reached this far beyond it [m of the room]. */
const LIMIT = 0.3;
const BEYOND = 0.15;
/** Being pulled out of reach, without a limit, is felt at most so strongly. */
const REACH = 0.25;
/** Gauges below this are felt, the more the nearer. */
const NEAR = 0.15;
/** Parts that begin to touch while they are dragged, and how long that is felt [ms]. */
const CONTACT = 0.7;
const KNOCK = 80;

/** What a hand that holds something meets. */
export interface Met {
  /** From what it holds to where it wants it [m of the room]. */
  lack: number;
  /** Whether a joint's limit or an obstacle holds it back. */
  isStopped: boolean;
  /** How near a singular pose is: 0 is singular, 1 far. */
  margin: number;
  /** The force in the hand [N]. */
  force: number;
  /** Of an impact or a contact, 0 to 1. */
  knock: number;
}

/** How strongly that is felt, 0 to 1. */
export function strengthOf({ lack, isStopped, margin, force, knock }: Met): number {
  const share = Math.min(1, lack / BEYOND);
  const stop = isStopped ? LIMIT + (1 - LIMIT) * share : REACH * share;
  const singular = margin < NEAR ? 1 - margin / NEAR : 0;
  return Math.min(1, Math.max(stop, 0.8 * singular, forceShare(force), knock));
}

export class Pulses {
  private readonly felt = new Felt();
  private readonly last = new Map<XRInputSource, number>();
  private touching = 0;
  private knocked = -Infinity;

  constructor(private readonly studio: ViewHost) {}

  /** After the picture: lets hands that hold something feel it. now: [ms]; scale: of the room. */
  tick(actors: readonly Actor[], scale: number, now: number): void {
    const { collisions, simulation } = this.studio;
    const { length } = collisions.touching;
    if (length > this.touching) this.knocked = now;
    this.touching = length;
    // the force in each hand is its own: impacts are felt by both
    const { isRunning, frame } = simulation;
    const jolt = this.felt.of({ isRunning, frame, force: 0 }, now);
    const knock = Math.max(jolt.weak, now - this.knocked < KNOCK ? CONTACT : 0);
    for (const actor of actors) {
      if (actor.doing?.kind !== "part") continue;
      this.pulse(actor.hand.source, strengthOf(this.met(actor.doing.job, scale, knock)), now);
    }
  }

  /** One short pulse: something was taken, chosen or pressed. */
  tap(source: XRInputSource, strength = 0.4): void {
    void actuatorOf(source)?.pulse(strength, 18);
  }

  private met(
    { grab, number }: { grab: unknown; number: number | null },
    scale: number,
    knock: number,
  ): Met {
    const { status, gauges, grabs, simulation } = this.studio;
    const at = grabs.findIndex((one) => one === grab);
    const lack = (status?.lacks[at]?.distance ?? 0) / scale;
    const isStopped =
      (status?.limits.length ?? 0) > 0 || (status?.report.obstacle ?? null) !== null;
    const row = simulation.frame?.hands.find(({ hand }) => hand === number);
    return {
      lack: at < 0 ? 0 : lack,
      isStopped: at >= 0 && isStopped,
      margin: Math.min(gauges?.task ?? 1, gauges?.gain ?? 1),
      force: number !== null && row ? Math.hypot(...row.force) : 0,
      knock,
    };
  }

  private pulse(source: XRInputSource, strength: number, now: number): void {
    if (strength < FAINT || now - (this.last.get(source) ?? -Infinity) < RENEW) return;
    this.last.set(source, now);
    void actuatorOf(source)?.pulse(strength, PULSE);
  }
}

interface Actuator {
  pulse(strength: number, ms: number): Promise<boolean>;
}

/** What makes a controller tremble; null for bare hands. */
function actuatorOf({ gamepad }: XRInputSource): Actuator | null {
  const all = (gamepad as { hapticActuators?: readonly Actuator[] } | undefined)?.hapticActuators;
  return all?.[0] ?? null;
}
