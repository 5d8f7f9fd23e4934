// Backlash and tolerances: how far they let the tool move from where it should be.
import { traitsOf } from "../../kernel/tables/joint-types.ts";
import type { BacklashResult } from "../../wire/messages.ts";
import { floats } from "../../wire/piece-frame.ts";
import type { DragHost, ModelHost, RequestHost } from "../hosts.ts";
import { Task } from "../task.ts";

export interface BacklashFound extends BacklashResult {
  /** Places from where the frame should be [m], three numbers each. */
  cloud: Float32Array;
}

/** Angular backlash at first [rad]. */
const PLAY = Math.PI / 180;
/** What takes longer is found again by itself only where that is asked for [s]. */
const QUICK = 3;

export class Backlash {
  /** Angular backlash by joint where it is not the common one [rad]. */
  own: Record<string, number> = {};
  /** Of all other joints [rad]. */
  common = PLAY;
  /** Tolerance of bars, backlash of slides [m]. */
  length = 0;
  /** Tilt of hinge axes [rad]. */
  wobble = 0;
  result: BacklashFound | null = null;
  /** How much larger than life the cloud is drawn. */
  scale = 1;
  stale = false;
  /** The pose is another than the cloud is for. */
  moved = false;
  /** Whether it is computed again when the pose has come to rest. */
  follow = true;
  shown = false;
  readonly task: Task;

  private frame: string | null = null;
  private rest: ReturnType<typeof setTimeout> | null = null;
  private readonly changed = (): void => this.studio.emit("backlash", this);

  constructor(private readonly studio: ModelHost & DragHost & RequestHost) {
    this.task = new Task(studio, this.changed);
    studio.on("model", () => this.forget());
    studio.on("numbers", () => {
      if (!this.result || this.stale) return;
      this.stale = true;
      this.changed();
    });
    studio.on("pose", () => this.moves());
  }

  /** Joints that may have angular backlash, balls among them. */
  get joints(): string[] {
    return (this.studio.model?.data.joints ?? [])
      .filter(
        ({ type, variables }) =>
          traitsOf(type).swings || variables.some((one) => one.quantity === "angle"),
      )
      .map((joint) => joint.name);
  }

  /** Whether it is computed again by itself. */
  get follows(): boolean {
    return this.follow && this.shown;
  }

  /** Whether something slides by a motor: then lengths matter. */
  get slides(): boolean {
    return (this.studio.model?.data.joints ?? []).some(({ variables }) =>
      variables.some((one) => one.quantity === "length" && one.motor),
    );
  }

  set(change: Partial<Pick<Backlash, "own" | "common" | "length" | "wobble">>): void {
    Object.assign(this, change);
    if (this.result) this.stale = true;
    this.changed();
  }

  show(change: Partial<Pick<Backlash, "scale" | "follow" | "shown">>): void {
    Object.assign(this, change);
    if (this.follows && this.moved) this.soon();
    this.changed();
  }

  async run(frame: string | null = this.frame): Promise<void> {
    this.frame = frame;
    let cloud = new Float32Array(0);
    const joints = Object.fromEntries(
      this.joints.map((name) => [name, this.own[name] ?? this.common]),
    );
    const { length, wobble } = this;
    const before = this.result;
    this.moved = false;
    const answer = await this.task.run(() =>
      this.studio.ask("backlash", { frame, joints, length, wobble }, (piece) => {
        cloud = floats(piece);
      }),
    );
    if (!answer) return;
    this.result = { ...answer, cloud };
    if (!before && answer.seconds > QUICK) this.follow = false;
    this.stale = false;
    // the same scale as before while it still suits: clouds can then be compared
    const ratio = before ? answer.worst / before.worst : Infinity;
    if (!(ratio > 0.2 && ratio < 3)) this.scale = suitable(answer.worst, this.extent());
    this.changed();
  }

  private extent(): number {
    const { poses } = this.studio;
    const ends = [4, 5, 6].map((k) => {
      const values = Array.from({ length: poses.length / 7 }, (_, i) => poses[7 * i + k]);
      return Math.max(...values) - Math.min(...values);
    });
    return Math.hypot(...ends) || this.studio.model?.size || 1;
  }

  private moves(): void {
    if (!this.result) return;
    if (!this.moved) {
      this.moved = true;
      this.changed();
    }
    if (this.follows) this.soon();
  }

  /** Makes it again when the mechanism has come to rest. */
  private soon(): void {
    if (this.rest !== null) clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rest = null;
      if (this.follows && this.moved && !this.stale && this.studio.grabs.length === 0)
        void this.run();
    }, 300);
  }

  private forget(): void {
    this.task.clear();
    this.own = {};
    this.result = this.frame = null;
    this.stale = this.moved = false;
    this.length = 0;
    this.changed();
  }
}

/** How much larger a cloud must be drawn to be a tenth of the mechanism: 1, 2 or 5 times 10ⁿ. */
export function suitable(worst: number, extent: number): number {
  if (!(worst > 0)) return 1;
  const wanted = (0.12 * extent) / worst;
  if (wanted <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [5, 2, 1].find((k) => k * power <= wanted) ?? 1;
  return Math.min(1e5, factor * power);
}
