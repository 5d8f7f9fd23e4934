// A drag that gets no nearer: whether the target is out of reach, or only from here.
import { three } from "../../kernel/spatial.ts";
import { SHUT } from "../../kernel/tables/tolerances.ts";
import type { HandleData } from "../../wire/messages.ts";
import type { DragHost, ModelHost, RequestHost } from "../hosts.ts";
import type { DragStatus } from "../types.ts";

/** A hand that rests so long wants to know [ms]. */
const REST = 400;
const OUT = "out of reach: ";

type Asking = Pick<
  ModelHost & DragHost & RequestHost,
  "on" | "grabs" | "pins" | "model" | "status" | "setStatus" | "ask"
>;

export class LocalMinimum {
  private rest: ReturnType<typeof setTimeout> | undefined;
  /** The target that was asked about last, and whether another pose reaches it. */
  private asked = "";
  private isReached = false;

  constructor(private readonly studio: Asking) {
    studio.on("status", (status) => this.look(status));
  }

  private look(status: DragStatus | null): void {
    const { grabs, pins, model } = this.studio;
    const spec = grabs.length === 1 && pins.length === 0 ? grabs[0].spec : null;
    // every tick says it again
    if (!status?.words.startsWith(OUT) || spec?.kind !== "point" || model === null) {
      if (spec === null) this.asked = "";
      return;
    }
    const step = SHUT * model.size;
    const at = Array.from(spec.position ?? []).map((x) => Math.round(x / step));
    const key = [spec.site, ...at].join();
    if (key === this.asked) {
      if (this.isReached) this.say(status);
      return;
    }
    clearTimeout(this.rest);
    this.asked = key;
    this.isReached = false;
    const frame = model.siteNames[spec.site];
    const position = spec.position ? three(spec.position) : null;
    const handle = { frame, position, point: spec.point ? three(spec.point) : null };
    this.rest = setTimeout(() => void this.ask(key, handle), REST);
  }

  private async ask(key: string, handle: HandleData): Promise<void> {
    if (key !== this.asked || this.studio.grabs.length !== 1) return;
    const work = this.studio.ask("solve", { handles: [handle] });
    const found = await work.promise.catch(() => null);
    if (key !== this.asked || !found?.reached) return;
    this.isReached = true;
    const { status } = this.studio;
    if (status?.words.startsWith(OUT)) this.say(status);
  }

  private say(status: DragStatus): void {
    const missing = status.words.slice(OUT.length);
    const words = `reached on another branch: dragging from here ends in a local minimum, where ${missing}`;
    this.studio.setStatus({ ...status, words });
  }
}
