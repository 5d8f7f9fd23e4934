// What moves the mechanism: grabs and pins, ways it goes by itself, single variables, replays.
import { type HandleSpec, type SolveReport, stuckReport, type Vec3 } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import { applyPose, poseAt, quatOf } from "../../kernel/spatial.ts";
import { Animation, atBoundedSpeed, LONGEST_TICK, straightWay, timed, Trail } from "./animation.ts";
import { driveVariable } from "../pose/driving.ts";
import { Held, Holding } from "../pose/holding.ts";
import type { Path } from "./timed-path.ts";
import { dragStatus, plainStatus } from "../status.ts";
import type {
  ChoiceHost,
  DragHost,
  MotionHost,
  NoticeHost,
  PoseHost,
  SimulationHost,
} from "../hosts.ts";
import type { Grab, PoseSource } from "../types.ts";

/** How long a mechanism takes to spring back [s]. */
const SPRING = 0.4;

export class Moving {
  readonly holding = new Holding();
  private animation: Animation | null = null;
  private trail: Trail | null = null;
  private lastTick: number | null = null;

  constructor(
    private readonly studio: PoseHost &
      DragHost &
      ChoiceHost &
      NoticeHost &
      MotionHost &
      SimulationHost,
  ) {}

  /** Whether it goes somewhere by itself. */
  get isAnimating(): boolean {
    return this.animation !== null;
  }

  /** Whether the next tick changes something, as far as the mechanism itself goes. */
  get isMoving(): boolean {
    return this.isAnimating || this.holding.dirty;
  }

  /** One tick of whatever moves; returns whether the pose changed. */
  tick(model: PageModel, now: number): boolean {
    if (this.animation !== null) return this.advance(this.animation, now);
    if (this.holding.grabs.length > 0) return this.drag(model, now);
    return this.studio.run.advance(now) || this.studio.player.advance(now);
  }

  grab(spec: HandleSpec): Grab {
    const { studio, holding } = this;
    const model = studio.must();
    const grab = new Held(
      withTarget(spec, studio.poses),
      (held, target) => {
        holding.move(held, target);
        studio.emit("stir", null);
      },
      (held, mode) => this.released(held, mode ?? studio.settings.releaseMode),
    );
    if (studio.refuseIfWatching()) {
      grab.active = false;
      return grab;
    }
    if (studio.simulation.isRunning) return studio.simulation.pull(grab.spec);
    this.stop(false);
    if (holding.grabs.length === 0) {
      this.trail = new Trail(model, studio.q);
      this.lastTick = null;
    }
    holding.add(grab);
    studio.emit("grabs", holding.grabs);
    return grab;
  }

  /** Holds a site where it is: its place, or with `rotation` its whole pose. */
  pin(site: number, point: Vec3, rotation: boolean): void {
    const pose = poseAt(this.studio.poses, site);
    const position = applyPose(pose, point);
    const spec: HandleSpec = rotation
      ? { site, kind: "pose", point, position, quat: quatOf(pose), pin: true }
      : { site, kind: "point", point, position, pin: true };
    this.setPins([...this.holding.pins, spec]);
  }

  setPins(pins: readonly HandleSpec[]): void {
    if (pins.length === 0 && this.holding.pins.length === 0) return;
    this.holding.setPins(pins);
    this.studio.emit("pins", this.holding.pins);
  }

  /** Follows closed poses at bounded speed, then makes the last a step of undo. */
  follow(
    poses: readonly Float64Array[],
    source: PoseSource,
    label: string,
    arrived?: () => void,
  ): void {
    const { model } = this.studio;
    if (model === null) return;
    this.stop();
    this.animate(atBoundedSpeed(model, poses), source, false, (isFinished) => {
      if (!isFinished) return;
      this.studio.commitPose(label);
      arrived?.();
    });
  }

  /** Goes to a pose by the straight way of every joint, at bounded speed; false: no such way. */
  moveTo(q: Float64Array, label: string): boolean {
    const { studio } = this;
    if (studio.model === null || studio.refuseIfWatching()) return false;
    const way = straightWay(studio.model, studio.q, q);
    if (way !== null) this.follow(way, "set", label);
    return way !== null;
  }

  /** Puts the mechanism back to the file's start. */
  home(): void {
    const { studio } = this;
    if (studio.model === null || studio.refuseIfWatching()) return;
    const [start, label] = [studio.model.start(), "Go to the start"];
    studio.run.stopAll();
    if (this.moveTo(start, label)) return;
    this.stop();
    studio.setPose(start, "set");
    studio.commitPose(label);
  }

  /** Brings a joint's variable to a value [rad, m], or as near as it gets. */
  setVariable(
    joint: number,
    variable: number,
    value: number,
    source: PoseSource,
    show?: (value: number) => string,
  ): SolveReport {
    const { studio } = this;
    const model = studio.must();
    if (studio.refuseIfWatching()) return stuckReport(model.nv);
    if (studio.simulation.isRunning) {
      studio.simulation.motors.targetVariable(joint, variable, value);
      return stuckReport(model.nv);
    }
    this.stop();
    const q = studio.q.slice();
    const driven = driveVariable(model, q, joint, variable, value, {
      pins: this.holding.pins,
      limits: studio.settings.keepLimits,
      ...(show ? { show } : {}),
    });
    studio.setPose(q, source);
    studio.setStatus(plainStatus(driven.report, driven.words, driven.limits));
    return driven.report;
  }

  /** Ends what moves by itself, and by default also what is held. */
  stop(andGrabs = true): void {
    const { animation } = this;
    this.animation = null;
    animation?.ended(false);
    this.studio.player.pause();
    this.studio.run.pause();
    if (andGrabs) this.letGo();
  }

  private drag(model: PageModel, now: number): boolean {
    const { studio, holding } = this;
    if (!holding.dirty) return false;
    const passed = this.lastTick === null ? 1 / 60 : now - this.lastTick;
    this.lastTick = now;
    const q = studio.q.slice();
    const report = holding.tick(model, q, {
      limits: studio.settings.keepLimits,
      avoid: studio.collisions.avoided,
      dt: studio.settings.limitSpeeds ? Math.min(LONGEST_TICK, Math.max(1e-3, passed)) : null,
    });
    studio.setPose(q, "drag");
    this.trail?.add(q);
    studio.setStatus(dragStatus(model, studio.poses, holding.handles, report));
    return true;
  }

  private released(grab: Held, mode: "keep" | "spring"): void {
    const { studio, holding, trail } = this;
    holding.remove(grab);
    studio.emit("grabs", holding.grabs);
    if (holding.grabs.length > 0 || studio.model === null) return;
    this.trail = null;
    studio.setStatus(null);
    if (mode === "spring" && trail !== null)
      this.animate(timed(trail.back(studio.q), SPRING), "spring", true, () => studio.report(true));
    else studio.commitPose(`Drag ${studio.model.siteNames[grab.spec.site]}`);
  }

  private animate(
    path: Path,
    source: PoseSource,
    isEased: boolean,
    ended: (isFinished: boolean) => void,
  ): void {
    this.animation?.ended(false);
    this.animation = new Animation(this.studio.must(), path, source, ended, isEased);
    this.studio.emit("stir", null);
  }

  private advance(animation: Animation, now: number): boolean {
    const { q, isDone } = animation.advance(now);
    if (isDone) this.animation = null;
    this.studio.setPose(q, animation.source);
    if (isDone) animation.ended(true);
    return true;
  }

  /** Lets go of everything, without a step of undo. */
  private letGo(): void {
    if (this.holding.grabs.length === 0) return;
    for (const grab of [...this.holding.grabs]) {
      grab.active = false;
      this.holding.remove(grab);
    }
    this.trail = null;
    this.studio.emit("grabs", this.holding.grabs);
  }
}

/** A handle of its own, whose missing targets are where its site is now. */
function withTarget(spec: HandleSpec, poses: Float64Array): HandleSpec {
  const pose = poseAt(poses, spec.site);
  return {
    ...spec,
    position: spec.position ?? applyPose(pose, spec.point ?? [0, 0, 0]),
    quat: spec.quat ?? quatOf(pose),
  };
}
