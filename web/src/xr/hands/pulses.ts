// What hands feel: pulses from limits, obstacles, singular poses, loads and impacts, in proportion.
import { Felt, forceShare } from "../../interact/devices/felt.ts";
import type {
  ModelHost,
  ChoiceHost,
  DragHost,
  SimulationHost,
  SingularHost,
} from "../../store/hosts.ts";
import type { Actor } from "./hands.ts";

type Host = ModelHost & ChoiceHost & DragHost & SimulationHost & SingularHost;

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
  /** Pairs of parts that touched in the last frame. */
  private touching: ReadonlySet<string> = new Set();
  private knocked = -Infinity;

  constructor(private readonly studio: Host) {}

  /** After the picture: lets hands that hold something feel it. now: [ms]; scale: of the room. */
  tick(actors: readonly Actor[], scale: number, now: number): void {
    const { collisions, simulation, settings } = this.studio;
    const pairs = new Set(collisions.touching.map(({ a, b }) => `${a} ${b}`));
    if ([...pairs].some((pair) => !this.touching.has(pair))) this.knocked = now;
    this.touching = pairs;
    if (!settings.haptics) return;
    // the force in each hand is its own: impacts and loads are felt by both
    const { isRunning, frame, largestEfforts } = simulation;
    const jolt = this.felt.of({ isRunning, frame, largestEfforts, force: 0 }, now);
    const knock = Math.max(jolt.weak, now - this.knocked < KNOCK ? CONTACT : 0);
    for (const actor of actors) {
      if (actor.doing?.kind !== "part") continue;
      this.pulse(actor.hand.source, strengthOf(this.met(actor.doing.job, scale, knock)), now);
    }
  }

  /** One short pulse: a panel was pressed. */
  tap(source: XRInputSource, strength = 0.4): void {
    if (this.studio.settings.haptics) shake(source, strength, 18);
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
    const row = simulation.handRow(number);
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
    shake(source, strength, PULSE);
  }
}

/** What makes a controller vibrate, as browsers have it: the one or the other. */
interface Shaker {
  readonly hapticActuators?: readonly { pulse(strength: number, ms: number): Promise<unknown> }[];
  readonly vibrationActuator?: {
    playEffect(kind: "dual-rumble", effect: Record<string, number>): Promise<unknown>;
  } | null;
}

/** Makes a controller vibrate; bare hands cannot. */
export function shake({ gamepad }: XRInputSource, strength: number, ms: number): void {
  const { hapticActuators, vibrationActuator } = (gamepad ?? {}) as Shaker;
  const [actuator] = hapticActuators ?? [];
  const effect = { duration: ms, strongMagnitude: strength, weakMagnitude: strength };
  const done = actuator
    ? actuator.pulse(strength, ms)
    : vibrationActuator?.playEffect("dual-rumble", effect);
  // a controller that was just switched off
  done?.catch(() => undefined);
}
