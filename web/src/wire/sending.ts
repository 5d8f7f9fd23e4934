// Binary frames on their way to the studio: the next of a kind replaces one that was left out.
import { packPose } from "./pose-frame.ts";

/** Time between two poses while something moves [ms]: not more than 30 a second. */
const POSE_INTERVAL = 34;
/** Frames wait while more than this is unsent [bytes]: the last one counts. */
const BACKLOG = 1 << 16;

/** What frames are sent with. */
interface Outlet {
  readonly bufferedAmount: number;
  send(data: ArrayBuffer): void;
}

export class Sending {
  private sequence = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private pose: { q: Float64Array; version: number } | null = null;
  private poseSent = -Infinity;

  /** @param outlet Null while there is no connection. */
  constructor(private readonly outlet: () => Outlet | null) {}

  /** Sends a frame; false: it was left out, since the connection is not there or does not keep up. */
  frame(frame: ArrayBuffer): boolean {
    const outlet = this.outlet();
    if (outlet === null || outlet.bufferedAmount > BACKLOG) return false;
    outlet.send(frame);
    return true;
  }

  /** Reports where the mechanism is: at most 30 times a second, the last pose always. */
  sendPose(q: Float64Array, version: number, isFinal: boolean): void {
    if (this.outlet() === null) return;
    this.pose = { q: q.slice(), version };
    const wait = isFinal ? 0 : this.poseSent + POSE_INTERVAL - Date.now();
    if (wait <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), wait);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private flush(): void {
    this.stop();
    const { pose } = this;
    if (pose === null || this.outlet() === null) return;
    const sequence = (this.sequence + 1) >>> 0;
    if (!this.frame(packPose({ sequence, ...pose }))) {
      this.timer = setTimeout(() => this.flush(), POSE_INTERVAL);
      return;
    }
    this.pose = null;
    this.sequence = sequence;
    this.poseSent = Date.now();
  }
}
