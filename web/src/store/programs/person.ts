// Whether a person moves the mechanism in this page: programs in the session hear of it.
import type { DragHost, EventHost, ModelHost, NoticeHost, ConnectionHost } from "../hosts.ts";
import type { Programs } from "./programs.ts";

/** A slider or device that has not moved for so long was let go [ms]. */
const REST = 400;
/** What moves it where nothing is held. */
const BY_HAND: ReadonlySet<string> = new Set(["slider", "device", "number"]);

export class Person {
  private said = "";
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isQueued = false;

  constructor(
    private readonly studio: EventHost & ModelHost & DragHost & ConnectionHost & NoticeHost,
    private readonly programs: Programs,
  ) {
    studio.on("grabs", () => this.look());
    studio.on("programs", () => this.look());
    studio.on("welcome", () => (this.said = ""));
    studio.on("pose", (source) => {
      if (!BY_HAND.has(source)) return;
      if (this.timer !== null) clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.timer = null;
        this.look();
      }, REST);
      this.look();
    });
  }

  /** Reports a change, after the poses of this moment. */
  private look(): void {
    if (this.isQueued) return;
    this.isQueued = true;
    queueMicrotask(() => {
      this.isQueued = false;
      this.say();
    });
  }

  private say(): void {
    const { studio } = this;
    if (studio.readOnly || !this.programs.list.some((one) => one.connected)) return;
    const names = studio.model?.siteNames ?? [];
    const sites = studio.grabs.map(({ spec }) => names[spec.site] ?? "");
    const active = sites.length > 0 || this.timer !== null;
    const now = JSON.stringify([active, sites]);
    if (now === this.said || (this.said === "" && !active)) return;
    if (studio.link?.send({ kind: "hand", active, sites })) this.said = now;
  }
}
