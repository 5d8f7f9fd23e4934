// A way that the mechanism goes by itself: back after a drag, or across a singular pose.
import type { PageModel } from "../../kernel/page-model.ts";
import { between, closeNear, farthest, paced, type Path, samplePath } from "./timed-path.ts";
import type { PoseSource } from "../types.ts";

/** Joints move this fast at most where their motors set no lower speed [rad/s, sizes/s]. */
const USUAL_SPEED = 1.5;
/** Poses of a straight way; each is closed from the one before. */
const STRAIGHT = 24;
/** A tick counts for no more than this, so that a page that slept does not leap [s]. */
export const LONGEST_TICK = 0.05;
/** A drag's poses are kept when a joint moved by this much [rad, sizes]. */
const TRAIL = 0.03;

export class Animation {
  private last: number | null = null;
  /** [s] */
  private passed = 0;

  constructor(
    private readonly model: PageModel,
    private readonly path: Path,
    readonly source: PoseSource,
    /** Called with true at the end, false when something else took over. */
    readonly ended: (finished: boolean) => void,
    private readonly eased = false,
  ) {}

  get duration(): number {
    return this.path.times[this.path.poses.length - 1] ?? 0;
  }

  /** The pose at now [s, any clock]. */
  advance(now: number): { q: Float64Array; isDone: boolean } {
    this.passed += Math.min(LONGEST_TICK, now - (this.last ?? now));
    this.last = now;
    const share = this.duration > 0 ? Math.min(1, this.passed / this.duration) : 1;
    const eased = this.eased ? share * share * (3 - 2 * share) : share;
    const t = eased * this.duration;
    const q = samplePath(this.model, this.path, t, "linear");
    if (share < 1 && !closeNear(this.model, q)) {
      const i = this.path.poses.findIndex((_, k) => this.path.times[k] >= t);
      q.set(this.path.poses[Math.max(0, i)]);
    }
    return { q, isDone: share >= 1 };
  }
}

/** The straight way of every joint from a to b, closed at every pose; null where it is not open. */
export function straightWay(
  model: PageModel,
  a: Float64Array,
  b: Float64Array,
): Float64Array[] | null {
  const poses: Float64Array[] = [a.slice()];
  const step = farthest(model, a, b) / STRAIGHT;
  for (let i = 1; i < STRAIGHT; ++i) {
    const q = between(model, a, b, i / STRAIGHT);
    if (!closeNear(model, q)) return null;
    if (farthest(model, poses[i - 1], q) > 4 * step + 0.05) return null;
    poses.push(q);
  }
  poses.push(b.slice());
  if (farthest(model, poses[STRAIGHT - 1], b) > 4 * step + 0.05) return null;
  return poses;
}

/** The same times for every pose of a way that takes so long [s]. */
export function timed(poses: readonly Float64Array[], duration: number): Path {
  const last = Math.max(1, poses.length - 1);
  return { poses, times: poses.map((_, i) => (duration * i) / last) };
}

/** A way at bounded speed. */
export function atBoundedSpeed(model: PageModel, poses: readonly Float64Array[]): Path {
  return { poses, times: paced(model, poses, USUAL_SPEED) };
}

/** The poses of a drag, to go back over. */
export class Trail {
  readonly poses: Float64Array[];

  constructor(
    private readonly model: PageModel,
    start: Float64Array,
  ) {
    this.poses = [start.slice()];
  }

  add(q: Float64Array): void {
    if (farthest(this.model, this.poses[this.poses.length - 1], q) > TRAIL)
      this.poses.push(q.slice());
  }

  /** The way from q back to where the drag began. */
  back(q: Float64Array): Float64Array[] {
    const straight = straightWay(this.model, q, this.poses[0]);
    return straight ?? [q.slice(), ...this.poses.toReversed().map((pose) => pose.slice())];
  }
}
