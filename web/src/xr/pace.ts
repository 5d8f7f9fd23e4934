// The time that frames take: when they are late, quality drops before the rate does. Pure.

/** Frames that headsets show per second at least. */
export const RATE = 72;
/** A frame took too long when it came later than so many times the usual [shares]. */
const LATE = 1.4;
/** So many late frames of the last ones make the picture cheaper; so many good ones, dearer [frames]. */
const WINDOW = 36;
const TOO_MANY = 12;
const GOOD = 720;

/** Steps from the best picture to the cheapest, in this order. */
export const STEPS = ["all", "no shadows", "coarse rim", "no outlines"] as const;

export class Pace {
  /** Which of the steps is shown. */
  level = 0;
  /** Of the page's own work besides drawing, lately [ms]. */
  work = 0;
  /** Frames per second, lately. */
  rate = RATE;
  private late: boolean[] = [];
  private good = 0;

  constructor(private readonly target = RATE) {}

  /** A frame came `seconds` after the last, and its own work took `work` [ms]. */
  took(seconds: number, work: number): void {
    this.work += 0.05 * (work - this.work);
    // the first frame, or one after a pause, says nothing
    if (seconds <= 0 || seconds > 0.5) return;
    this.rate += 0.05 * (1 / seconds - this.rate);
    const isLate = seconds > LATE / this.target;
    this.late.push(isLate);
    if (this.late.length > WINDOW) this.late.shift();
    this.good = isLate ? 0 : this.good + 1;
    if (this.late.filter(Boolean).length >= TOO_MANY) this.change(1);
    else if (this.good >= GOOD) this.change(-1);
  }

  /** As it is shown: '71 of 72 Hz, 0.8 ms'. */
  get words(): string {
    const cheaper = this.level > 0 ? `, ${STEPS[this.level]}` : "";
    return `${Math.round(this.rate)} of ${this.target} Hz, ${this.work.toFixed(1)} ms${cheaper}`;
  }

  private change(by: number): void {
    this.level = Math.min(STEPS.length - 1, Math.max(0, this.level + by));
    this.late = [];
    this.good = 0;
  }
}
