// What a running simulation lets one feel: the force in the hand, impacts, motors at their limit.
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
}

/** The force that is felt half as strongly as can be [N]. */
const HALF = 40;
/** An impact is felt for so long [ms]. */
const JOLT = 120;
/** The faintest impact that is felt, and a motor at its limit. */
const TOUCH = 0.2;
const LIMIT = 0.15;

/** Share of the strongest rumble for a force [N]. */
export function forceShare(force: number): number {
  return force > 0 ? force / (force + HALF) : 0;
}

export class Felt {
  private last: LiveFrame | null = null;
  private jolt = 0;
  private struck = -Infinity;

  /** now: [ms] */
  of({ isRunning, force, frame }: Source, now: number): Feel {
    if (!isRunning) {
      this.last = null;
      this.struck = -Infinity;
      return { weak: 0, strong: 0 };
    }
    if (frame !== null && frame !== this.last) this.meet(frame, now);
    const share = forceShare(force);
    const jolt = now - this.struck < JOLT ? this.jolt : 0;
    const limit = frame?.saturated.some((value) => value > 0) ? LIMIT : 0;
    return { weak: Math.max(share, jolt, limit), strong: Math.max(share * share, jolt) };
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
