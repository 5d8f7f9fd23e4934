// The time of a recording while it is simulated: simulated time, whatever the speed.
export class RecordClock {
  /** [s of the page's clock, s simulated] that belong together. */
  private both: [number, number] | null = null;

  /** The time of the present pose on the page's clock. */
  at(now: number, simulated: number): number {
    if (this.both === null || simulated < this.both[1]) this.both = [now, simulated];
    return this.both[0] + simulated - this.both[1];
  }

  /** The recording has ended. */
  reset(): void {
    this.both = null;
  }
}
