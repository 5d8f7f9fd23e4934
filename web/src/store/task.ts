// One piece of the studio's work at a time, as a panel shows it: how far, what went wrong, stop.
import { Cancelled } from "../wire/answers.ts";
import type { Work } from "./requests.ts";
import type { EventHost } from "./hosts.ts";

export class Task {
  busy = false;
  /** 0 … 1, null where it is unknown. */
  share: number | null = null;
  /** What the work says it is at. */
  label = "";
  /** Why the last one failed, in words; null when it did not. */
  error: string | null = null;
  private work: Work<unknown> | null = null;

  constructor(
    private readonly studio: EventHost,
    /** Called on every change. */
    private readonly changed: () => void,
  ) {}

  /** Does a piece of work; null when it failed or was stopped. One that still runs is stopped. */
  async run<T>(start: () => Work<T>): Promise<T | null> {
    this.cancel();
    const work = start();
    this.work = work;
    this.busy = true;
    this.share = null;
    this.label = "";
    this.error = null;
    const off = this.studio.on("progress", ({ request, share, label }) => {
      if (request !== work.request) return;
      this.share = share;
      this.label = label;
      this.changed();
    });
    this.changed();
    try {
      const found = await work.promise;
      return this.work === work ? found : null;
    } catch (error) {
      if (this.work === work && !(error instanceof Cancelled))
        this.error = error instanceof Error ? error.message : String(error);
      return null;
    } finally {
      off();
      if (this.work === work) {
        this.work = null;
        this.busy = false;
        this.changed();
      }
    }
  }

  /** Stops what runs. */
  cancel(): void {
    const { work } = this;
    this.work = null;
    this.busy = false;
    work?.cancel();
    if (work) this.changed();
  }

  /** Forgets what went wrong. */
  clear(): void {
    this.cancel();
    this.error = null;
  }
}
