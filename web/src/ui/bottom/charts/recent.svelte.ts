// The last seconds of motion, for charts while nothing is played.
import type { ModelHost } from "../../../store/hosts.ts";
import type { MotionData } from "../../../wire/messages.ts";

/** How much of the past is kept [s]. */
const SPAN = 12;
/** A pose is taken at most this often [s]. */
const STEP = 1 / 30;
/** A pause longer than this begins a new chart [s]. */
const PAUSE = 4;

export class Recent {
  motion = $state.raw<MotionData | null>(null);
  private times: number[] = [];
  private values: number[][] = [];

  constructor(private readonly studio: ModelHost) {}

  /** Looks on from now; returns the end of it. */
  watch(): () => void {
    const ends = [
      this.studio.on("pose", (source) => {
        // a simulation keeps its own times
        if (source !== "snapshot" && source !== "simulation") this.take();
      }),
      this.studio.on("model", () => this.clear()),
      this.studio.on("numbers", () => this.clear()),
      this.studio.on("simulation", ({ isRunning }) => {
        if (isRunning) this.clear();
      }),
    ];
    return () => ends.forEach((end) => end());
  }

  private take(): void {
    const { model, q } = this.studio;
    const now = performance.now() / 1000;
    const last = this.times.at(-1);
    if (!model || (last !== undefined && now - last < STEP)) return;
    if (last !== undefined && now - last > PAUSE) this.times = this.values = [];
    const from = Math.max(
      0,
      this.times.findIndex((t) => t > now - SPAN),
    );
    this.times = [...this.times.slice(from), now];
    this.values = [...this.values.slice(from), Array.from(q)];
    this.motion = {
      name: "recent",
      joints: model.data.joints.filter((joint) => joint.nq > 0).map((joint) => joint.name),
      times: this.times,
      values: this.values,
      interpolation: "linear",
      note: null,
    };
  }

  private clear(): void {
    this.times = this.values = [];
    this.motion = null;
  }
}
