// Heartbeats: signs of life for the studio. A page that hangs, is frozen or is gone
// sends none, and the studio stops the robot.

/** Between two heartbeats [ms]; a moving robot stops after four that are missing. */
export const BEAT = 50;

export interface Heart {
  start(beat: () => void): void;
  stop(): void;
}

/** By a timer of the page; in hidden tabs browsers slow it down. */
export class PageHeart implements Heart {
  private timer: ReturnType<typeof setInterval> | null = null;

  start(beat: () => void): void {
    this.timer ??= setInterval(beat, BEAT);
  }
  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }
}

/** By a timer beside the page, which hidden tabs keep; each beat still passes through the page. */
export class WorkerHeart implements Heart {
  private worker: Worker | null = null;

  constructor(private readonly make: () => Worker) {}

  start(beat: () => void): void {
    if (this.worker) return;
    this.worker = this.make();
    this.worker.onmessage = beat;
    this.worker.postMessage(BEAT);
  }
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
  }
}
