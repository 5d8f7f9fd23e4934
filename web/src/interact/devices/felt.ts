// What a running simulation lets one feel: the force in the hand, impacts, loads of motors.
import type { LiveFrame } from "../../wire/frames.ts";

/** How strongly the two motors of a pad run: 0 to 1. */
export interface Feel {
  weak: number;
  strong: number;
}

/** What is felt of a simulation. */
export interface Source {
  readonly isRunning: boolean;
  /** Of the strongest hand [N]. */
  readonly force: number;
  readonly frame: LiveFrame | null;
  /** Of motors, per v [N m, N]; infinite where none is given. */
  readonly largestEfforts: ArrayLike<number>;
}

/** The force that is felt half as strongly as can be [N]. */
const HALF = 40;
/** An impact is felt for so long [ms]. */
const JOLT = 120;
/** The faintest impact that is felt. */
const TOUCH = 0.2;
/** A motor's load is felt from this share of its largest effort, and so strongly at all of it. */
const LOADED = 0.6;
const FULL = 0.4;

/** Share of the strongest rumble for a force [N]. */
export function forceShare(force: number): number {
  return force > 0 ? force / (force + HALF) : 0;
}

/** How strongly the motor that is loaded most is felt: in proportion to its load above a share. */
export function loadShare(
  { efforts, saturated }: Pick<LiveFrame, "efforts" | "saturated">,
  largest: ArrayLike<number>,
): number {
  let most = 0;
  efforts.forEach((effort, v) => {
    if (saturated[v] > 0) most = 1;
    else if (largest[v] > 0) most = Math.max(most, Math.abs(effort) / largest[v]);
  });
  return (FULL * Math.max(0, Math.min(1, most) - LOADED)) / (1 - LOADED);
}

export class Felt {
  private last: LiveFrame | null = null;
  private jolt = 0;
  private struck = -Infinity;

  /** now: [ms] */
  of({ isRunning, force, frame, largestEfforts }: Source, now: number): Feel {
    if (!isRunning) {
      this.last = null;
      this.struck = -Infinity;
      return { weak: 0, strong: 0 };
    }
    if (frame !== null && frame !== this.last) this.meet(frame, now);
    const share = forceShare(force);
    const jolt = now - this.struck < JOLT ? this.jolt : 0;
    const load = frame ? loadShare(frame, largestEfforts) : 0;
    return { weak: Math.max(share, jolt, load), strong: Math.max(share * share, jolt) };
  }

  /** New contacts are felt as strongly as they take motion away. */
  private meet(frame: LiveFrame, now: number): void {
    const { last } = this;
    this.last = frame;
    if (last === null || frame.contacts <= last.contacts) return;
    const lost = Math.max(0, last.kinetic - frame.kinetic) / (last.kinetic || 1);
    this.jolt = Math.max(TOUCH, Math.min(1, Math.sqrt(lost)));
    this.struck = now;
  }
}
