// How many points can be drawn while the view moves: as many as do not make pictures slow.

/** Time of a picture while something moves [s]: as much as this is never felt. */
const SMOOTH = 0.03;
/** Where pictures are slow anyway, points may add this part to their time. */
const BURDEN = 0.35;
/** Time that the picture of a view at rest may take [s]. */
const PATIENCE = 0.5;
const FEWEST = 3_000;
/** What pictures before so many have taught is half forgotten. */
const MEMORY = 25;
/** A longer time was a pause [s]. */
const PAUSE = 1.5;

/** Learns what a picture costs and what a point adds to it: a line through what was measured. */
export class PointPace {
  /** Points in a picture while the view moves. */
  moving: number;
  /** Points in a picture of a view that rests. */
  resting: number;
  private weight = 0;
  private n = 0;
  private t = 0;
  private nn = 0;
  private nt = 0;

  constructor(readonly most: number) {
    this.moving = Math.min(most, 60_000);
    this.resting = most;
  }

  /** Learns from a picture with so many points that took so long [s]. */
  learn(seconds: number, drawn: number): void {
    if (!(seconds > 0) || seconds > PAUSE) return;
    const keep = 0.5 ** (1 / MEMORY);
    this.weight = keep * this.weight + 1;
    this.n = keep * this.n + drawn;
    this.t = keep * this.t + seconds;
    this.nn = keep * this.nn + drawn * drawn;
    this.nt = keep * this.nt + drawn * seconds;
    const [n, t] = [this.n / this.weight, this.t / this.weight];
    const spread = this.nn / this.weight - n * n;
    const slope = spread > 1 ? (this.nt / this.weight - n * t) / spread : 0;
    // no more than all of the time, no less than what hardly counts
    const each = Math.min(Math.max(slope, 1e-9), t / Math.max(n, 1));
    const base = Math.max(0, t - each * n);
    const room = Math.max(SMOOTH - base, BURDEN * base);
    const wanted = Math.min(this.most, Math.max(FEWEST, room / each));
    // little by little: more points at once would be seen as a flash
    this.moving = Math.min(Math.max(wanted, 0.5 * this.moving), 1.5 * this.moving, this.most);
    this.resting = Math.min(this.most, Math.max(this.moving, PATIENCE / each));
  }
}
