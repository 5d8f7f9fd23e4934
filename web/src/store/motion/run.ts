// Run: motors that move by themselves, in the page, with every loop closed at every step.
import { stuckReport } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import { limitWords } from "../../kernel/reasons.ts";
import type { MotionData } from "../../wire/messages.ts";
import { Continuation, type InputMove } from "../pose/continuation.ts";
import { motionOf } from "./motion.ts";
import { plainStatus } from "../status.ts";
import {
  beginInput,
  firstInput,
  inputAfter,
  inputName,
  inputSpeed,
  limitsOf,
  type RunInput,
  runnable,
} from "./run-input.ts";
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
  private readonly way = new Continuation();
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
    studio.on("model", () => this.forget());
    studio.on("numbers", () => {
      this.way.reset();
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
    if (this.shown === null || this.shown.some((value, i) => value !== q[i])) this.way.reset();
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
      const fastest = this.fastest(model, q);
      length = Math.min(left, length, STEP / fastest);
      const { moves, ends } = this.moves(model, q, this.active, length);
      if (this.way.step(model, q, moves, length, this.options)) {
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

  private get options() {
    return { pins: this.studio.pins, limits: this.studio.settings.keepLimits };
  }

  /** Of the inputs that run [rad/s, sizes/s]. */
  private fastest(model: PageModel, q: Float64Array): number {
    return Math.max(
      1e-9,
      ...this.active.map((input) => {
        const { joint, data, limits } = this.of(model, input);
        const speed = Math.abs(inputSpeed(input, q[joint.q + input.variable], limits));
        return data.quantity === "length" ? speed / model.size : speed;
      }),
    );
  }

  private moves(model: PageModel, q: Float64Array, inputs: readonly RunInput[], time: number) {
    const ends: RunInput[] = [];
    const moves = inputs.map((input): InputMove => {
      const { joint, limits } = this.of(model, input);
      const at = joint.q + input.variable;
      const { value, isEnd } = inputAfter(input, q[at], limits, time);
      if (isEnd) ends.push(input);
      return { at, v: joint.v + input.variable, value };
    });
    return { moves, ends };
  }

  private of(model: PageModel, input: RunInput) {
    const joint = model.data.joints[input.joint];
    const limits: [number, number] = this.studio.settings.keepLimits
      ? limitsOf(model, joint, input.variable)
      : [-Infinity, Infinity];
    return { joint, data: joint.variables[input.variable], limits };
  }

  /** It cannot continue: those that cannot move alone turn round or stop; all where each could. */
  private block(model: PageModel, q: Float64Array, time: number): void {
    const { active } = this;
    const stuck = active.filter((input) => {
      const { moves } = this.moves(model, q, [input], time);
      return !new Continuation().step(model, q.slice(), moves, time, this.options);
    });
    const blamed = stuck.length ? stuck : active;
    // a little further on than where it stands: the nearest pose beyond shows what is in the way
    const { moves } = this.moves(model, q, active, 100 * time);
    const limits = this.way.obstacles(model, q, moves, this.options);
    const why = limits.length
      ? limits
          .map((limit) =>
            limitWords(limit, (value) =>
              this.words(value, limit.unit === "rad" ? "angle" : "length"),
            ),
          )
          .join(", ")
      : this.studio.pins.length
        ? "a pin prevents it"
        : "a dead point: the loops cannot close beyond it";
    for (const input of blamed) this.ended(model, input, why, q);
    this.way.reset();
  }

  /** An input is at an end: its own where no reason is given. */
  private ended(model: PageModel, input: RunInput, why: string | null, q?: Float64Array): void {
    const { joint, data, limits } = this.of(model, input);
    const name = inputName(joint, data);
    if (input.mode === "sweep") {
      if (why === null) {
        input.direction = input.direction > 0 ? -1 : 1;
        return;
      }
      const here = q![joint.q + input.variable];
      const isUp = inputSpeed(input, here, limits) > 0;
      input.found[isUp ? 1 : 0] = here;
      input.direction = isUp ? -1 : 1;
      this.note = `${name} reverses at ${this.words(here, data.quantity)}: ${why}`;
    } else {
      input.running = false;
      const here = q ? q[joint.q + input.variable] : limits[input.speed > 0 ? 1 : 0];
      const reason = why ?? `its ${input.speed > 0 ? "upper" : "lower"} limit`;
      this.note = `${name} stopped at ${this.words(here, data.quantity)}: ${reason}`;
    }
    const report = { ...stuckReport(model.nv), outcome: "nearest" as const };
    this.studio.setStatus(plainStatus(report, this.note, []));
  }

  private words(value: number, quantity: string): string {
    const digits = (x: number): string => String(Number(x.toFixed(1)) || 0).replace("-", "−");
    if (quantity === "angle") {
      const turn = (value * 180) / Math.PI;
      return `${digits(turn - 360 * Math.round(turn / 360))}°`;
    }
    return this.studio.settings.lengthUnit === "mm"
      ? `${digits(1000 * value)} mm`
      : `${String(Number(value.toFixed(4)) || 0).replace("-", "−")} m`;
  }

  private begin(): void {
    this.rows = [];
    this.latest = [];
    this.time = 0;
    this.paused = false;
    this.shown = null;
    this.way.reset();
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
