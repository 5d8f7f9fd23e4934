// Moments of a wall of screens: what moves is shown when all screens may draw it, and not before.
import type { WallMoment } from "../wire/messages.ts";

export class Moments {
  /** Of the moment that was drawn last. */
  number = 0;
  /** Screens that the others do not wait for: hidden windows. */
  behind = 0;
  /** Whether the studio has said that all screens draw together; else what comes is shown at once. */
  private isInStep = false;
  /** What came since the last moment, and what is drawn next. */
  private waiting: (() => void)[] = [];
  private due: (() => void)[] = [];
  /** The moment that is drawn next; null: none. */
  private next: number | null = null;

  /** @param report Reports to the studio that a moment was drawn; 0: a window was opened. */
  constructor(private readonly report: (number: number) => void) {}

  /** The connection begins: this window is a screen from now on. */
  begin(): void {
    this.isInStep = false;
    this.waiting = this.due = [];
    this.next = null;
    this.number = 0;
    this.report(0);
  }

  /** Shows what has come: at the next moment. */
  show(action: () => void): void {
    if (this.isInStep) this.waiting.push(action);
    else action();
  }

  /** Everything that came before is drawn now. */
  took({ number, behind }: WallMoment): void {
    this.isInStep = true;
    this.behind = behind;
    this.due = [...this.due, ...this.waiting];
    this.waiting = [];
    this.next = number;
  }

  /** A change of the mechanism comes: what came before it is not shown after it. */
  flush(): void {
    const all = [...this.due, ...this.waiting];
    this.due = this.waiting = [];
    for (const action of all) action();
  }

  /** Before a picture: what it is to show. */
  tick(): void {
    const { due } = this;
    this.due = [];
    for (const action of due) action();
  }

  /** A picture was drawn, or is still right: the next moment may come. */
  drew(): void {
    if (this.next === null) return;
    this.number = this.next;
    this.next = null;
    this.report(this.number);
  }
}
