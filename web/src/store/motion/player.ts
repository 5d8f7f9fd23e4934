// Playing motions: play, pause, scrub, rate, step, loop, rewind; and waypoints set by hand.
import type { PageModel } from "../../kernel/page-model.ts";
import type { MotionData } from "../../wire/messages.ts";
import { motionOf, playable, type PlayableMotion } from "./motion.ts";
import { closeNear, samplePath, segmentAt } from "./timed-path.ts";

/** What the player needs of the studio: the mechanism and its pose as they are now. */
export interface Stage {
  present(): { model: PageModel | null; q: Float64Array };
  show(q: Float64Array): void;
}

/** A pose and when it is passed [s]. */
interface Waypoint {
  t: number;
  pose: Float64Array;
}

/** Poses that differ by less are the same. */
const SAME = 1e-6;
/** Waypoints are at least this far apart [s]. */
const CLOSEST = 0.01;

export class Player {
  playing = false;
  /** Times the recorded speed; negative plays backwards. */
  rate = 1;
  loop = false;
  /** [s] from the motion's first time. */
  time = 0;

  private current: PlayableMotion | null = null;
  /** The pose that the playhead has shown last; null where the mechanism was never put there. */
  private shown: Float64Array | null = null;
  private last: number | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly changed: (player: Player) => void,
  ) {}

  get motion(): MotionData | null {
    return this.current?.data ?? null;
  }
  /** Whole configurations at its times. */
  get poses(): readonly Float64Array[] {
    return this.current?.poses ?? [];
  }
  /** [s] */
  get duration(): number {
    const times = this.motion?.times ?? [];
    return times.length > 0 ? times[times.length - 1] - times[0] : 0;
  }

  /** Whether the mechanism is where the playhead stands: not once it was moved otherwise. */
  get isThere(): boolean {
    const { q } = this.stage.present();
    return this.shown?.length === q.length && this.shown.every((x, i) => Math.abs(x - q[i]) < SAME);
  }

  /** Takes a motion to play and goes to its beginning, or a time [s]; null puts it away. */
  load(motion: MotionData | null, time = 0): void {
    this.put(motion);
    if (this.current !== null) this.seek(time);
  }

  /** The same motion as it is now: the playhead stays, and the mechanism with it if it is there. */
  reload(motion: MotionData): void {
    const { time, isThere } = this;
    this.put(motion);
    this.stand(time);
    if (isThere) this.seek(this.time);
  }

  private put(motion: MotionData | null): void {
    this.pause();
    const { model, q } = this.stage.present();
    this.current = this.shown = null;
    this.time = 0;
    if (motion !== null && model !== null && motion.times.length > 0)
      this.current = playable(model, motion, q);
    this.changed(this);
  }

  /** The playhead at a time at which the mechanism may be already. */
  private stand(time: number): void {
    this.time = Math.min(time, this.duration);
    const here = this.poseAt(this.time);
    this.shown = here;
    this.changed(this);
  }

  play(): void {
    if (this.current === null || this.playing) return;
    if (this.rate >= 0 && this.time >= this.duration) this.time = 0;
    if (this.rate < 0 && this.time <= 0) this.time = this.duration;
    this.playing = true;
    this.last = null;
    this.changed(this);
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.changed(this);
  }

  /** Goes to a time [s] and shows the pose there. */
  seek(time: number): void {
    this.time = Math.min(this.duration, Math.max(0, time));
    this.showNow();
    this.changed(this);
  }

  /** To the next or previous recorded pose. */
  step(count: number): void {
    const times = this.motion?.times;
    if (!times?.length) return;
    this.pause();
    const at = this.time + times[0];
    let i = segmentAt(times, at + 1e-9);
    if (times.length > 1 && times[i + 1] <= at + 1e-9) i += 1;
    // from between two poses, one step back leads to the earlier of them
    if (count < 0 && at > times[i] + 1e-9) i += 1;
    i = Math.min(times.length - 1, Math.max(0, i + count));
    this.seek(times[i] - times[0]);
  }

  rewind(): void {
    this.pause();
    this.seek(0);
  }

  setRate(rate: number): void {
    this.rate = Number.isFinite(rate) && rate !== 0 ? rate : 1;
    this.changed(this);
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.changed(this);
  }

  /** Moves on to now [s, any clock]; called once per frame. Returns whether the pose changed. */
  advance(now: number): boolean {
    if (!this.playing) return false;
    // the first call only starts the clock
    const passed = this.last === null ? 0 : now - this.last;
    this.last = now;
    let time = this.time + passed * this.rate;
    const { duration } = this;
    if (time > duration || time < 0) {
      if (this.loop && duration > 0) time = ((time % duration) + duration) % duration;
      else {
        time = time < 0 ? 0 : duration;
        this.playing = false;
      }
    }
    this.time = time;
    this.showNow();
    this.changed(this);
    return true;
  }

  /** The closed pose at a time [s]; null without a motion. */
  poseAt(time: number): Float64Array | null {
    const { model } = this.stage.present();
    if (this.current === null || model === null) return null;
    const { data, poses, locked } = this.current;
    const t = data.times[0] + time;
    const path = { times: data.times, poses };
    const q = samplePath(model, path, t, data.interpolation);
    // between the recorded poses the loops are closed again, first as the motion's joints say
    if (!closeNear(model, q, { locked }) && !closeNear(model, q))
      return poses[segmentAt(data.times, t)].slice();
    return q;
  }

  /** The present pose as a waypoint `gap` seconds after the last one (or at a time of its own). */
  addWaypoint(name: string, gap = 1, time: number | null = null): MotionData {
    const { model, q } = this.stage.present();
    if (model === null) throw new Error("there is no mechanism yet");
    const old = this.current?.data.name === name ? this.current : null;
    const rows = old ? old.data.times.map((t, i) => ({ t, pose: old.poses[i] })) : [];
    const t = time ?? (rows.length > 0 ? rows[rows.length - 1].t + gap : 0);
    const others = rows.filter((row) => Math.abs(row.t - t) > 1e-6);
    const all = [...others, { t, pose: q.slice() }].sort((a, b) => a.t - b.t);
    const motion = motionOf(
      model,
      name,
      all.map((row) => row.t),
      all.map((row) => row.pose),
      "cubic",
    );
    this.put(motion);
    this.stand(t - motion.times[0]);
    return motion;
  }

  /** Takes the waypoint at an index out; null when it was the last. */
  removeWaypoint(index: number): MotionData | null {
    return this.change((rows) => rows.filter((_, i) => i !== index));
  }

  /** Gives a waypoint another time [s] (from the motion's first); others keep theirs. */
  retimeWaypoint(index: number, time: number): MotionData | null {
    return this.change((rows) => {
      const first = rows[0]?.t ?? 0;
      const others = rows.filter((_, i) => i !== index);
      let t = first + Math.max(0, time);
      // no two at one time
      while (others.some((row) => Math.abs(row.t - t) < CLOSEST)) t += CLOSEST;
      return rows.map((row, i) => (i === index ? { ...row, t } : row));
    });
  }

  /** Puts a waypoint before or behind its neighbours: the times stay, the poses change places. */
  reorderWaypoint(index: number, to: number): MotionData | null {
    return this.change((rows) => {
      const poses = rows.map((row) => row.pose);
      if (to < 0 || to >= poses.length) return rows;
      poses.splice(to, 0, ...poses.splice(index, 1));
      return rows.map((row, i) => ({ t: row.t, pose: poses[i] }));
    });
  }

  /** Gives a waypoint the present pose. */
  resetWaypoint(index: number): MotionData | null {
    const { q } = this.stage.present();
    return this.change((rows) =>
      rows.map((row, i) => (i === index ? { ...row, pose: q.slice() } : row)),
    );
  }

  /** Another way between the poses. */
  setInterpolation(interpolation: MotionData["interpolation"]): MotionData | null {
    return this.change((rows) => rows, interpolation);
  }

  private change(
    edit: (rows: Waypoint[]) => Waypoint[],
    interpolation = this.motion?.interpolation ?? "cubic",
  ): MotionData | null {
    const { model } = this.stage.present();
    if (this.current === null || model === null) return null;
    const { data, poses } = this.current;
    const at = this.time;
    const rows = edit(data.times.map((t, i) => ({ t, pose: poses[i] })));
    rows.sort((a, b) => a.t - b.t);
    const times = rows.map((row) => row.t);
    const made = rows.map((row) => row.pose);
    const motion = motionOf(model, data.name, times, made, interpolation);
    this.put(rows.length > 0 ? { ...motion, note: data.note } : null);
    this.stand(at);
    return this.motion;
  }

  private showNow(): void {
    const q = this.poseAt(this.time);
    if (q === null) return;
    this.shown = q;
    this.stage.show(q);
  }
}
