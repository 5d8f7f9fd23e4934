// Frames while something happens: a loop that sleeps when nothing has for a while.

/** So long after the last thing that happened it sleeps [ms]: what settles by itself has settled. */
const REST = 500;
/** A frame that was late counts no more than this [s]. */
const LONGEST = 0.1;

/** Where frames come from. */
export interface FrameSource {
  request(step: (now: number) => void): number;
  cancel(request: number): void;
}

const BROWSER: FrameSource = {
  request: (step) => requestAnimationFrame(step),
  cancel: (request) => cancelAnimationFrame(request),
};

export class FrameLoop {
  private request: number | null = null;
  private isStirred = false;
  private isOver = false;
  /** When something last happened, and when the last frame was [ms]; null while it sleeps. */
  private stirredAt = 0;
  private last: number | null = null;

  /** step: one frame, `seconds` after the last (0 after sleep); true while there is more to do. */
  constructor(
    private readonly step: (seconds: number) => boolean,
    private readonly frames: FrameSource = BROWSER,
  ) {}

  get isAwake(): boolean {
    return this.request !== null;
  }

  /** Something has happened, or may: frames from the next one on. */
  readonly wake = (): void => {
    this.isStirred = true;
    if (!this.isOver) this.request ??= this.frames.request(this.frame);
  };

  /** Ends it for good. */
  stop(): void {
    this.isOver = true;
    this.sleep();
  }

  private sleep(): void {
    if (this.request !== null) this.frames.cancel(this.request);
    this.request = this.last = null;
  }

  private readonly frame = (now: number): void => {
    const seconds = this.last === null ? 0 : (now - this.last) / 1000;
    this.last = now;
    if (this.isStirred) this.stirredAt = now;
    this.isStirred = false;
    // before the step: one that fails ends no loop
    this.request = this.frames.request(this.frame);
    if (this.step(Math.min(LONGEST, Math.max(0, seconds)))) this.stirredAt = now;
    if (!this.isStirred && now - this.stirredAt >= REST) this.sleep();
  };
}
