// Run: motors that move by themselves, in the page, with every loop closed at every step.
import { stuckReport } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import type { MotionData } from "../../wire/messages.ts";
import { motionOf } from "./motion.ts";
import { plainStatus } from "../status.ts";
import {
  beginInput,
  firstInput,
  inputName,
  inputSpeed,
  type RunInput,
  runnable,
} from "./run-input.ts";
import { RunSteps } from "./run-steps.ts";
import type {
  ChoiceHost,
  DragHost,
  MotionHost,
  NoticeHost,
  PoseHost,
  SimulationHost,
} from "../hosts.ts";

/** A pose and when it was passed [s of the run]. */
export interface RunRow {
  time: number;
  q: Float64Array;
}

/** Inputs move by at most this before the loops are closed again [rad, sizes]. */
const STEP = 0.04;
/** Where it stops is found this exactly [rad, sizes]. */
const FINEST = 1e-6;
/** Steps in one picture at most: a page must stay alive. */
const MOST = 400;
/** A picture counts for no more than this, so that a page that slept does not leap [s]. */
const LONGEST = 0.25;
/** Rows that are kept: at ten turns a minute more than a minute. */
const ROWS = 6000;

export class Run {
  /** Whether time passes; inputs that run keep doing so in a pause. */
  paused = false;
  /** Why something stopped or turned round, in words; null while all is well. */
  note: string | null = null;
  /** Multiplies all speeds. */
  rate = 1;
  /** [s] since it began. */
  time = 0;
  rows: RunRow[] = [];
  /** Rows of the last picture. */
  latest: readonly RunRow[] = [];

  private readonly inputs = new Map<string, RunInput>();
  private readonly steps: RunSteps;
  private last: number | null = null;
  /** The pose that the last step made: another one means that somebody else moved it. */
  private shown: Float64Array | null = null;

  constructor(
    private readonly studio: PoseHost &
      DragHost &
      ChoiceHost &
      NoticeHost &
      MotionHost &
      SimulationHost,
  ) {
    this.steps = new RunSteps(studio);
    studio.on("model", () => this.forget());
    studio.on("numbers", () => {
      this.steps.reset();
      // charts of what is now another mechanism would be wrong
      this.rows = [];
      this.latest = [];
      for (const input of this.inputs.values()) input.found = [-Infinity, Infinity];
    });
    studio.on("simulation", ({ isRunning }) => {
      if (isRunning) this.pause();
    });
    studio.on("playback", ({ playing }) => {
      if (playing) this.pause();
    });
  }

  /** Whether somebody has let a variable run, or said how. */
  isListed(joint: number, variable: number): boolean {
    return this.inputs.has(`${joint} ${variable}`);
  }

  isActive(joint: number, variable: number): boolean {
    return this.inputs.get(`${joint} ${variable}`)?.running ?? false;
  }

  /** Inputs that run, also in a pause. */
  get active(): RunInput[] {
    return [...this.inputs.values()].filter((input) => input.running);
  }
  get isOn(): boolean {
    return this.active.length > 0;
  }
  get isRunning(): boolean {
    return this.isOn && !this.paused;
  }

  /** How a variable runs or would run. */
  input(joint: number, variable: number): RunInput {
    const key = `${joint} ${variable}`;
    let input = this.inputs.get(key);
    if (input === undefined) {
      const { q } = this.studio;
      this.inputs.set(key, (input = firstInput(this.studio.must(), q, joint, variable)));
    }
    return input;
  }

  /** Lets a variable run besides those that do. */
  start(joint: number, variable: number): void {
    const { studio } = this;
    if (studio.model === null || studio.refuseIfWatching()) return;
    if (!this.isOn) this.begin();
    const input = this.input(joint, variable);
    beginInput(studio.model, studio.q, input);
    input.running = true;
    this.resume();
  }

  stop(joint: number, variable: number): void {
    this.input(joint, variable).running = false;
    if (this.isOn) this.changed();
    else this.finish();
  }

  /** Starts what ran last, or the chosen or first motor. */
  startUsual(): void {
    const { model, selection } = this.studio;
    if (model === null) return;
    const all = runnable(model);
    const chosen =
      selection?.kind === "joint" ? all.find(({ joint }) => joint === selection.index) : undefined;
    const before = all.find(({ joint, variable }) => this.inputs.has(`${joint} ${variable}`));
    const one = chosen ?? before ?? all[0];
    if (one) this.start(one.joint, one.variable);
  }

  stopAll(): void {
    if (!this.isOn) return;
    for (const input of this.inputs.values()) input.running = false;
    this.finish();
  }

  pause(): void {
    if (!this.isRunning) return;
    this.paused = true;
    this.studio.commitPose("Run");
    this.changed();
  }

  resume(): void {
    const { studio } = this;
    if (!this.isOn || studio.refuseIfWatching()) return;
    // not itself
    this.paused = true;
    studio.rest();
    if (studio.simulation.isRunning) void studio.simulation.pause();
    this.paused = false;
    this.last = null;
    this.note = null;
    studio.setStatus(null);
    this.changed();
  }

  toggle(): void {
    if (!this.isOn) this.startUsual();
    else if (this.paused) this.resume();
    else this.pause();
  }

  /** Changes how a variable runs; while it runs, from where it is. */
  set(
    joint: number,
    variable: number,
    change: Partial<Pick<RunInput, "mode" | "speed" | "from" | "to">>,
  ): void {
    const input = this.input(joint, variable);
    Object.assign(input, change);
    beginInput(this.studio.must(), this.studio.q, input);
    this.note = null;
    this.changed();
  }

  setRate(rate: number): void {
    this.rate = rate;
    this.changed();
  }

  /** Moves on to now [s, any clock]; called once per frame. Returns whether the pose changed. */
  advance(now: number): boolean {
    const { model } = this.studio;
    if (!this.isRunning || model === null) return false;
    // the first call only starts the clock
    const passed = this.last === null ? 0 : Math.min(LONGEST, now - this.last);
    this.last = now;
    if (passed <= 0) return false;
    const q = this.studio.q.slice();
    if (this.shown === null || this.shown.some((value, i) => value !== q[i])) this.steps.reset();
    const first = this.rows.length ? null : { time: this.time, q: q.slice() };
    const made = this.walk(model, q, passed * Math.abs(this.rate));
    this.latest = first ? [first, ...made] : made;
    this.rows.push(...this.latest);
    if (this.rows.length > ROWS) this.rows.splice(0, this.rows.length - ROWS + ROWS / 10);
    if (made.length > 0) this.studio.setPose(q, "run");
    this.shown = this.studio.q;
    if (!this.isOn) this.finish();
    else this.changed();
    return made.length > 0;
  }

  /** What was run so far, as a motion in the player; false where there is nothing. */
  keep(name = "run"): boolean {
    const { model, player } = this.studio;
    const { rows } = this;
    if (model === null || rows.length < 2) return false;
    const motion: MotionData = motionOf(
      model,
      name,
      rows.map((row) => row.time - rows[0].time),
      rows.map((row) => row.q),
      "linear",
    );
    this.stopAll();
    player.load(motion);
    return true;
  }

  // Inside

  /** Steps over a time [s]; q in place. Returns the poses passed. */
  private walk(model: PageModel, q: Float64Array, span: number): RunRow[] {
    const made: RunRow[] = [];
    let left = span;
    let length = Infinity;
    let refused = 0;
    for (let count = 0; count < MOST && left > 1e-12 && this.isOn; ++count) {
      const fastest = this.steps.fastest(model, q, this.active);
      length = Math.min(left, length, STEP / fastest);
      const ends = this.steps.step(model, q, this.active, length);
      if (ends) {
        left -= length;
        this.time += length;
        made.push({ time: this.time, q: q.slice() });
        length *= 2;
        refused = 0;
        for (const input of ends) this.ended(model, input, null);
      } else if (length * fastest > FINEST) length /= 4;
      else {
        // those that turn round may lead out of it; not more than once each way
        if (++refused > 2) this.active.forEach((input) => (input.running = false));
        this.block(model, q, length);
        length = Infinity;
      }
    }
    return made;
  }

  /** It cannot continue: those that cannot move alone turn round or stop; all where each could. */
  private block(model: PageModel, q: Float64Array, time: number): void {
    const { stuck, why } = this.steps.blocked(model, q, this.active, time);
    for (const input of stuck) this.ended(model, input, { q, why });
  }

  /** An input is at an end: its own, or where something is in its way. */
  private ended(
    model: PageModel,
    input: RunInput,
    stop: { q: Float64Array; why: string } | null,
  ): void {
    if (input.mode === "sweep" && stop === null) {
      input.direction = input.direction > 0 ? -1 : 1;
      return;
    }
    const { joint, data, limits } = this.steps.driven(model, input);
    const here = stop ? stop.q[joint.q + input.variable] : limits[input.speed > 0 ? 1 : 0];
    const why = stop?.why ?? `its ${input.speed > 0 ? "upper" : "lower"} limit`;
    if (input.mode === "sweep") {
      const isUp = inputSpeed(input, here, limits) > 0;
      input.found[isUp ? 1 : 0] = here;
      input.direction = isUp ? -1 : 1;
    } else input.running = false;
    const does = input.mode === "sweep" ? "reverses" : "stopped";
    const at = this.steps.words(here, data.quantity);
    this.note = `${inputName(joint, data)} ${does} at ${at}: ${why}`;
    const report = { ...stuckReport(model.nv), outcome: "nearest" as const };
    this.studio.setStatus(plainStatus(report, this.note, []));
  }

  private begin(): void {
    this.rows = [];
    this.latest = [];
    this.time = 0;
    this.paused = false;
    this.shown = null;
    this.steps.reset();
  }

  private finish(): void {
    this.paused = false;
    if (this.time > 0) this.studio.commitPose("Run");
    this.changed();
  }

  private forget(): void {
    this.inputs.clear();
    this.begin();
    this.note = null;
    this.changed();
  }

  private changed(): void {
    this.studio.emit("run", this);
  }
}
