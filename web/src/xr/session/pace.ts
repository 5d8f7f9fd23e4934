// The time that frames take: when they are late, quality drops before the rate does. Pure.

/** Frames per second of a headset whose browser does not say how many it shows. */
export const RATE = 72;
/** The last frames by which all is judged; after a change, so many are waited for. */
const WINDOW = 36;
const FEWEST = 12;
/** So many pictures missing among them are too many: 60 of 72 a second are late, 66 are not. */
const TOO_MANY = 4;
/** Fewer than so many missing ones are none. */
const HARDLY_ANY = 1;
/** All must have been well for so long before a step is taken back [s]; at most, after relapses. */
const PATIENCE = 10;
const MOST_PATIENCE = 160;
/** Points are added this often while frames have never been late [s]. */
const ADDING = 2;
/** Points of a workspace: how many there are at first, and never fewer. */
const FIRST_POINTS = 60_000;
const FEWEST_POINTS = 3_000;

/** What a picture of a headset has. */
export interface Quality {
  name: string;
  shadows: boolean;
  /** How much coarser the edge of the picture is, 0 … 1. */
  foveation: number;
  /** Share of the resolution, everywhere. */
  scale: number;
  /** Of parts. */
  outlines: boolean;
}

/** Steps from the best picture to the cheapest. */
export const STEPS: readonly Quality[] = [
  { name: "all", shadows: true, foveation: 0, scale: 1, outlines: true },
  { name: "no shadows", shadows: false, foveation: 0, scale: 1, outlines: true },
  { name: "coarser", shadows: false, foveation: 1, scale: 0.7, outlines: true },
  { name: "no outlines", shadows: false, foveation: 1, scale: 0.7, outlines: false },
];

/** The rate to ask a headset for: 72 Hz where it can, else the next that is faster; null: no choice. */
export function rateFor(supported: Iterable<number> | undefined): number | null {
  const rates = [...(supported ?? [])].sort((a, b) => a - b);
  return rates.find((rate) => rate >= RATE) ?? rates.at(-1) ?? null;
}

export class Pace {
  /** Which of the steps is shown. */
  level = 0;
  /** Most points of a workspace in a picture: part of what a frame may take. */
  points = FIRST_POINTS;
  /** Of the page's own work besides drawing, lately [ms]. */
  work = 0;
  /** Frames per second, lately. */
  rate: number;
  /** For the last frames: how many pictures are missing before each; negative: it came early. */
  private missing: number[] = [];
  /** Since when all is well, and since a step was last taken back [s]. */
  private well = 0;
  private risen = Infinity;
  private patience = ADDING;
  private hasFewer = false;

  constructor(private target = RATE) {
    this.rate = target;
  }

  /** Frames per second that the headset shows now. */
  set shown(rate: number) {
    if (rate === this.target) return;
    this.target = this.rate = rate;
    this.begin();
  }

  get quality(): Quality {
    return STEPS[this.level];
  }

  /**
   * A frame came `seconds` after the last, and its own work took `work` [ms].
   * @param points How many points a workspace has to show; 0: none.
   */
  took(seconds: number, work: number, points = 0): void {
    this.work += 0.05 * (work - this.work);
    // the first frame, or one after a pause, says nothing
    if (seconds <= 0 || seconds > 0.5) return;
    this.rate += 0.05 * (1 / seconds - this.rate);
    this.missing.push(Math.min(1, seconds * this.target - 1));
    if (this.missing.length > WINDOW) this.missing.shift();
    const missing = this.missing.reduce((sum, one) => sum + one, 0);
    this.risen += seconds;
    this.well = missing < HARDLY_ANY ? this.well + seconds : 0;
    if (this.missing.length >= FEWEST && missing >= TOO_MANY) this.save(points);
    else if (this.well >= this.wait) this.restore(points);
  }

  /** As it is shown: '71 of 72 Hz, 0.8 ms'. */
  get words(): string {
    const cheaper = [this.hasFewer ? "fewer points" : "", this.level ? this.quality.name : ""];
    const rate = `${Math.round(this.rate)} of ${Math.round(this.target)} Hz`;
    return [rate, `${this.work.toFixed(1)} ms`, ...cheaper].filter(Boolean).join(", ");
  }

  private get wait(): number {
    return this.level > 0 ? Math.max(PATIENCE, this.patience) : this.patience;
  }

  /** Points give way first, for they are what grows while there is time. */
  private save(points: number): void {
    const isRelapse = this.risen < PATIENCE;
    this.patience = isRelapse ? Math.min(MOST_PATIENCE, 2 * this.wait) : PATIENCE;
    const drawn = Math.min(this.points, points);
    if (drawn > FEWEST_POINTS) {
      this.points = Math.max(FEWEST_POINTS, drawn / 2);
      this.hasFewer = true;
    } else this.level = Math.min(STEPS.length - 1, this.level + 1);
    this.begin();
  }

  private restore(points: number): void {
    this.well = 0;
    if (this.level > 0) this.level -= 1;
    else if (this.points < points) this.points *= 1.5;
    else {
      this.hasFewer = false;
      return;
    }
    this.risen = 0;
    this.begin();
  }

  private begin(): void {
    this.missing = [];
    this.well = 0;
  }
}
