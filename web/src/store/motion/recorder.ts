// Recording: what the mechanism did over time, sent on as it is made so that nothing is lost.
import type { PageModel } from "../../kernel/page-model.ts";
import type { MotionData } from "../../wire/messages.ts";

/** Part of a recording, for the studio to keep. */
export interface Samples {
  name: string;
  start: boolean;
  times: number[];
  values: number[][];
}

/** How often what was recorded is sent on [s]. */
const UPLOAD = 0.5;
/** Samples closer than this are one [s]. */
const SAME = 1e-4;
/** Where nothing came for longer than this, nothing moved [s]. */
const PAUSE = 0.3;
/** How long the first move after a pause takes, at most [s]. */
const MOVE = 1 / 60;

export class Recorder {
  recording = false;
  name = "";
  /** [s] since the recording began. */
  readonly times: number[] = [];
  readonly poses: Float64Array[] = [];

  private begun = 0;
  private sent = 0;
  private sentAt = 0;
  /** Sends on what is left when nothing moves any more. */
  private rest: ReturnType<typeof setTimeout> | null = null;
  private joints: string[] = [];

  constructor(
    /** Sends a part on; false when that is not possible just now. */
    private readonly upload: (samples: Samples) => boolean,
    private readonly changed: (recorder: Recorder) => void,
  ) {}

  /** [s] */
  get duration(): number {
    return this.times.at(-1) ?? 0;
  }

  /** Begins with the present pose; now: [s], any clock. */
  start(model: PageModel, q: Float64Array, now: number, name = "recording"): void {
    this.clear();
    this.recording = true;
    this.name = name;
    this.begun = this.sentAt = now;
    this.joints = model.data.joints.filter((joint) => joint.nq > 0).map((joint) => joint.name);
    this.add(q, now);
  }

  /** Takes a pose into the recording, if one is being made. */
  sample(q: Float64Array, now: number): void {
    if (!this.recording) return;
    this.add(q, now);
    if (now - this.sentAt >= UPLOAD) this.flush(now);
    else this.waitForRest(now);
    this.changed(this);
  }

  /** Ends the recording; null when nothing was recorded. */
  stop(now: number): MotionData | null {
    if (!this.recording) return null;
    const last = this.poses.at(-1);
    // it stood still until now
    if (last && now - this.begun - this.duration > PAUSE) this.add(last, now);
    this.recording = false;
    this.flush(now);
    this.changed(this);
    return this.motion();
  }

  /** What was recorded, as a motion with the numbers of every joint; null when there is nothing. */
  motion(
    name = this.name,
    interpolation: MotionData["interpolation"] = "linear",
  ): MotionData | null {
    if (this.times.length === 0) return null;
    return {
      name,
      joints: [...this.joints],
      times: [...this.times],
      values: this.poses.map((pose) => Array.from(pose)),
      interpolation,
      note: null,
    };
  }

  clear(): void {
    this.recording = false;
    this.settle();
    this.times.length = this.poses.length = 0;
    this.sent = 0;
    this.changed(this);
  }

  private add(q: Float64Array, now: number): void {
    const t = now - this.begun;
    const last = this.times.length - 1;
    if (last >= 0 && t - this.times[last] < SAME) {
      // what was already sent stays as it is
      if (last >= this.sent) this.poses[last] = q.slice();
      return;
    }
    // a pause is a pause: not a slow way to the next pose
    if (last >= 0 && t - this.times[last] > PAUSE) this.push(t - MOVE, this.poses[last]);
    this.push(t, q);
  }

  private push(t: number, q: Float64Array): void {
    this.times.push(t);
    this.poses.push(q.slice());
  }

  private waitForRest(now: number): void {
    this.rest ??= setTimeout(() => this.flush(now), 1000 * UPLOAD);
  }

  private settle(): void {
    if (this.rest !== null) clearTimeout(this.rest);
    this.rest = null;
  }

  private flush(now: number): void {
    this.settle();
    this.sentAt = now;
    const first = this.sent;
    if (first === this.times.length) return;
    const isSent = this.upload({
      name: this.name,
      start: first === 0,
      times: this.times.slice(first),
      values: this.poses.slice(first).map((pose) => Array.from(pose)),
    });
    if (isSent) this.sent = this.times.length;
    else if (this.recording) this.waitForRest(now);
  }
}
