// Going along a path: by the slider, by itself, and swung out of it.
import type { MotionData } from "../../wire/messages.ts";
import { motionOf } from "../motion/motion.ts";
import type { PathPlan } from "./plan.ts";
import { hasSwing, type Swing, swingOf, swungTo } from "./swing.ts";
import { between, closeNear } from "../motion/timed-path.ts";
import type { MotionHost, NoticeHost, PoseHost } from "../hosts.ts";

/** A frame that slept does not leap further than this [s]. */
const LONGEST_TICK = 0.1;

export class PathWalk {
  /** The point that the mechanism stands at; null while it is elsewhere. */
  at: number | null = null;
  playing = false;
  /** How far it is swung out of the path's pose [rad]. */
  swing = 0;
  /** Pose from which the path is begun, of several branches its nearest; null for the present. */
  home: Float64Array | null = null;

  private plan: PathPlan | null = null;
  private site = 0;
  private isOwn = false;
  /** Time along the path [s], and the clock then. */
  private time = 0;
  private last: number | null = null;
  /** Numbers of q that the frame does not feel. */
  private idle: readonly number[] = [];
  private swings: { at: number; swing: Swing } | null = null;

  constructor(
    private readonly studio: PoseHost & NoticeHost & MotionHost,
    private readonly changed: () => void,
  ) {
    studio.on("pose", (source) => {
      if (this.isOwn) return;
      if (source !== "play") this.home = null;
      this.leave();
    });
  }

  /** Takes another path; a mechanism that stands on one moves along with it. */
  take(plan: PathPlan | null, site: number): void {
    const { at } = this;
    const share = at === null || this.plan === null ? null : at / Math.max(1, this.plan.count - 1);
    this.plan = plan;
    this.site = site;
    this.swings = null;
    this.idle = plan ? idleNumbers(this.studio, plan, site) : [];
    if (share === null) return;
    const found = plan?.nearest(share * (plan.count - 1)) ?? null;
    if (found === null || plan?.nq !== this.studio.model?.nq) this.leave();
    else this.stand(found);
  }

  /** Goes to a point of the path; those out of reach are skipped. */
  scrub(index: number): void {
    if (this.plan === null || this.studio.refuseIfWatching()) return;
    const found = this.plan.nearest(index, index - (this.at ?? 0));
    if (found === null) return;
    this.playing = false;
    this.stand(found);
  }

  /** Makes where it stands a step of undo. */
  commit(): void {
    if (this.at !== null) this.studio.commitPose("Follow the path");
  }

  play(): void {
    const { plan, at } = this;
    if (plan === null || plan.answer.reached === 0 || this.studio.refuseIfWatching()) return;
    this.studio.player.pause();
    const { times, first } = clockOf(plan);
    const last = times.length - 1;
    const from = at === null ? 0 : Math.min(last, Math.max(0, at - first));
    // from the end it begins again
    const isAtEnd = at !== null && at >= (plan.nearest(first + last, -1) ?? first + last);
    this.time = isAtEnd ? times[0] : times[from];
    this.last = null;
    this.playing = true;
    this.changed();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.commit();
    this.changed();
  }

  /** Once per frame: continues while it plays. */
  tick(now: number): void {
    const { plan } = this;
    if (!this.playing || plan === null) return;
    const { times, first } = clockOf(plan);
    this.time += this.last === null ? 0 : Math.min(LONGEST_TICK, now - this.last);
    this.last = now;
    let i = 0;
    while (i < times.length - 1 && times[i + 1] <= this.time) i += 1;
    const next = plan.nearest(first + i, 1) ?? first + i;
    if (i >= times.length - 1 || next < first + i) {
      this.stand(plan.nearest(first + times.length - 1, -1) ?? first);
      this.pause();
      return;
    }
    // over a gap it continues at once
    if (next > first + i) this.time = times[next - first];
    const share =
      next === first + i ? (this.time - times[i]) / Math.max(1e-9, times[i + 1] - times[i]) : 0;
    this.stand(next, share);
  }

  /** Whether the mechanism swings while its motors hold. */
  get canSwing(): boolean {
    const { model, q } = this.studio;
    return model !== null && q.length === model.nq && hasSwing(model, q, this.site);
  }

  /** Swings out of the path's pose by an angle [rad]. */
  setSwing(angle: number): void {
    if (this.at === null || this.studio.refuseIfWatching()) return;
    this.swing = angle;
    this.playing = false;
    this.stand(this.at);
  }

  /** How far it can swing to each side at the present point [rad]. */
  get swingRange(): [number, number] | null {
    const found = this.at === null ? null : this.swingAt(this.at);
    return found && [found.angles[0], found.angles[found.angles.length - 1]];
  }

  /** The stretch around where it stands, or the longest, as a motion. */
  motion(name: string): MotionData | null {
    const { plan } = this;
    const { model } = this.studio;
    if (plan === null || model === null || plan.answer.runs.length === 0) return null;
    const { timed } = plan;
    const run = this.at === null ? plan.longest : plan.runOf(this.at);
    const [first, last] = timed
      ? [timed.first, timed.first + timed.count - 1]
      : plan.answer.runs[Math.max(0, run)];
    const rows = Array.from({ length: last - first + 1 }, (_, k) => first + k);
    const times = timed
      ? Array.from(timed.times)
      : rows.map((i) => plan.times[i] - plan.times[first]);
    const rising = rows.filter((_, k) => k === 0 || times[k] > times[k - 1]);
    return motionOf(
      model,
      name,
      rising.map((i) => times[i - first]),
      rising.map((i) => this.pose(plan, i)),
      "linear",
    );
  }

  /** Shows a pose; where it came from stays the home, so that the branch stays. */
  go(q: Float64Array): void {
    this.home ??= this.studio.q.slice();
    this.isOwn = true;
    this.studio.setPose(q, "play");
    this.isOwn = false;
  }

  leave(): void {
    if (this.at === null && !this.playing) return;
    this.at = null;
    this.playing = false;
    this.swing = 0;
    this.changed();
  }

  /** The pose at a point; what the frame does not feel, such as a gripper, stays as it is now. */
  private pose(plan: PathPlan, index: number): Float64Array {
    const q = plan.pose(index);
    for (const i of this.idle) q[i] = this.studio.q[i];
    return q;
  }

  private swingAt(index: number): Swing | null {
    const { plan, swings } = this;
    const { model } = this.studio;
    if (swings?.at === index) return swings.swing;
    if (plan === null || model === null) return null;
    const swing = swingOf(model, this.pose(plan, index), this.site);
    this.swings = swing && { at: index, swing };
    return swing;
  }

  private stand(index: number, share = 0): void {
    const { plan } = this;
    const { model } = this.studio;
    if (plan === null || model === null || plan.nq !== model.nq) return;
    this.at = index;
    let q = this.pose(plan, index);
    const next = index + 1;
    if (share > 0.01 && next < plan.count && plan.runOf(index) === plan.runOf(next)) {
      const middle = between(model, q, this.pose(plan, next), share);
      if (closeNear(model, middle)) q = middle;
    }
    if (this.swing !== 0) {
      const swing = this.swingAt(index);
      if (swing) q = swungTo(model, swing, this.swing);
    }
    this.go(q);
    this.changed();
  }
}

/** Times that are played, and the first point they belong to. */
function clockOf(plan: PathPlan): { times: Float32Array; first: number } {
  return plan.timed
    ? { times: plan.timed.times, first: plan.timed.first }
    : { times: plan.times, first: 0 };
}

/** Numbers of q that neither loops nor the frame feel: a gripper keeps what is set by hand. */
function idleNumbers(
  studio: PoseHost & NoticeHost & MotionHost,
  plan: PathPlan,
  site: number,
): number[] {
  const { model } = studio;
  const at = plan.nearest(0);
  if (model === null || at === null || model.counts.loop > 0 || plan.nq !== model.nq) return [];
  const J = model.jacobian(plan.pose(at), site);
  return model.data.joints
    .filter((joint) => joint.nq === 1 && joint.nv === 1)
    .filter((joint) => [0, 1, 2, 3, 4, 5].every((row) => J[row * model.nv + joint.v] === 0))
    .map((joint) => joint.q);
}
