// Changes of numbers: at once in the page, then as one step of undo in the text.
import { stuckReport } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import type {
  DragHost,
  ModelHost,
  MotionHost,
  NoticeHost,
  PoseHost,
  RequestHost,
  ConnectionHost,
} from "../hosts.ts";
import type { Moving } from "../motion/moving.ts";
import { plainStatus } from "../status.ts";
import { motorsMoved } from "./driving.ts";
import { closeKeepingMotors, LiveNumbers, type NumberChange } from "./live-numbers.ts";

type Host = ModelHost &
  PoseHost &
  DragHost &
  NoticeHost &
  MotionHost &
  Pick<ConnectionHost, "link" | "connection"> &
  Pick<RequestHost, "setNumbers">;

export class NumberEdits {
  readonly live = new LiveNumbers();

  constructor(
    private readonly studio: Host,
    private readonly moving: Moving,
  ) {}

  /** Changes a number at once, here. False: refused, the status says why. */
  set(change: NumberChange): boolean {
    const { studio } = this;
    const model = studio.must();
    if (studio.refuseIfWatching()) return false;
    // what runs continues with the new number
    if (studio.grabs.length === 0 && !studio.run.isRunning) this.moving.stop();
    const q = studio.q.slice();
    const refusal = this.live.set(model, q, change, studio.pins);
    this.moving.holding.changed();
    const before = studio.q;
    if (refusal === null) studio.setPose(q, "number");
    studio.emit("numbers", model);
    studio.setStatus(refusal === null ? null : plainStatus(null, refusal, []));
    this.sayGaveWay(model, before);
    return refusal === null;
  }

  /** Writes the numbers that were changed into the text, as one step of undo. */
  async commit(label: string): Promise<void> {
    const { studio } = this;
    const changes = this.live.pending;
    if (changes.length === 0) return;
    if (studio.link === null) {
      this.live.clear(changes);
      return;
    }
    studio.report(true);
    try {
      await studio.setNumbers(
        changes.map(({ owner, key, value }) => [owner, key, value]),
        label,
      );
      this.live.clear(changes);
    } catch (error) {
      if (studio.connection === "open") this.drop(changes);
      throw error;
    }
  }

  /** Says which motors could not keep their values under other numbers. */
  sayGaveWay(model: PageModel, before: Float64Array): void {
    const { studio } = this;
    const moved = motorsMoved(model, before, studio.q);
    if (moved.length === 0) return;
    const report = { ...stuckReport(model.nv), outcome: "nearest" as const };
    studio.setStatus(plainStatus(report, `${moved.join(", ")} had to move`, []));
  }

  /** Puts numbers that the studio refused back to what the text says. */
  private drop(changes: readonly NumberChange[]): void {
    const { studio } = this;
    const { model, snapshot } = studio;
    const origin = this.live.origin(studio.q);
    this.live.clear(changes);
    if (model === null || snapshot === null) return;
    const q = (origin ?? studio.q).slice();
    model.adopt(snapshot.model);
    this.live.reapply(model, q, studio.pins);
    closeKeepingMotors(model, q, studio.pins);
    this.moving.holding.changed();
    studio.emit("numbers", model);
    studio.setPose(q, "number");
  }
}
