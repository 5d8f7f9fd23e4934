// Trackers of the file: the studio receives their poses by UDP, and this page moves their frames.
import type { TrackerState } from "../wire/messages.ts";
import type { EventHost, NoticeHost, RequestHost } from "./hosts.ts";

export class Trackers {
  /** Those that are on, by name, as the studio last sent them. */
  readonly on = new Map<string, TrackerState>();
  /** Why one could not be switched on, in words, by name. */
  private readonly refused = new Map<string, string>();

  constructor(private readonly studio: EventHost & NoticeHost & RequestHost) {
    studio.on("welcome", () => {
      this.on.clear();
      studio.emit("trackers", this);
    });
  }

  /** Where one is, or what is wrong with it; '' while it is off. */
  wordsOf(name: string): string {
    const refused = this.refused.get(name);
    if (refused !== undefined) return refused;
    const state = this.on.get(name);
    if (!state) return "";
    return state.pose ? "tracked" : `port ${state.port}: ${state.trouble}`;
  }

  /** Switches one on or off for this page. */
  async toggle(name: string): Promise<void> {
    if (this.studio.refuseIfWatching()) return;
    this.refused.delete(name);
    try {
      await this.studio.switchTracker(name, !this.on.has(name));
    } catch (error) {
      this.refused.set(name, error instanceof Error ? error.message : String(error));
    }
    this.studio.emit("trackers", this);
  }

  /** @internal */
  took(state: TrackerState): void {
    if (state.port > 0) this.on.set(state.name, state);
    else this.on.delete(state.name);
    this.studio.emit("trackers", this);
  }
}
