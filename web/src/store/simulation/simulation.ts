// The live simulation as the page has it: started, paused, pushed and pulled; what its frames say.
import type { HandleSpec } from "../../kernel/dragger.ts";
import type { LiveFrame } from "../../wire/frames.ts";
import type {
  FromPage,
  JointData,
  LiveSettings,
  Simulate,
  Simulation as State,
  VariableData,
} from "../../wire/messages.ts";
import { suitable } from "./first-settings.ts";
import { Hands } from "./hands.ts";
import { LiveHistory, strongest } from "./history.ts";
import { linkLoads } from "./loads.ts";
import { NodeColors } from "./node-colors.ts";
import { Sensors } from "./sensors.ts";
import { Signals } from "./signals.ts";
import type {
  ChoiceHost,
  MotionHost,
  NoticeHost,
  NumberHost,
  PoseHost,
  RequestHost,
  SceneHost,
  SessionHost,
} from "../hosts.ts";
import type { Grab } from "../types.ts";

export type MotorMode = VariableData["mode"];

/** What a simulation runs with, as the panel has it. */
export interface SimulationSettings {
  /** Its name, one of those that the studio welcomed the page with. */
  engine: string;
  /** [s] */
  step: number;
  gravity: "file" | "none" | "own";
  /** [m/s²], when it is one's own. */
  own: [number, number, number];
  floor: boolean;
  objects: boolean;
  hold: boolean;
  /** Modes of motors by joint name, where not as in the file. */
  modes: Record<string, MotorMode>;
  /** Simulated seconds per second. */
  speed: number;
  firmness: number;
  damping: number;
  /** Whether hands that pull hold the whole pose: the part keeps how it is turned. */
  whole: boolean;
  /** Stored motion to follow, if any. */
  motion: string | null;
  resume: "keep" | "rejoin" | "stop";
  /** Of all noise in a world; null: as in the file. */
  seed: number | null;
  /** A log of the project folder that is played instead; null: none. */
  log: string | null;
}

const FIRST: SimulationSettings = {
  ...{ engine: "reduced", step: 1e-3, gravity: "file", own: [0, 0, -9.81], floor: false },
  ...{ objects: false, hold: false, modes: {}, speed: 1, firmness: 1, damping: 1, whole: false },
  ...{ motion: null, resume: "rejoin", seed: null, log: null },
};
const OFF: State = {
  ...{ kind: "simulation", phase: "off", reason: "", settings: {}, remarks: [], objects: [] },
  ...{
    owner: 0,
    plan: null,
    unknown: "",
    signals: [],
    sensors: [],
    nodes: [],
    log: null,
    doing: "",
  },
};
/** Poses that differ by less are the same. */
const SAME = 1e-9;
/** How much of the greatest load is left when forces are reported next. */
const FADES = 0.96;

export class Simulation {
  state: State = OFF;
  settings: SimulationSettings = { ...FIRST };
  frame: LiveFrame | null = null;
  /** Forces in the joints as last reported; null where they are not. */
  reactions: Float64Array | null = null;
  /** The greatest recent load on a link [N]: loads are coloured by their share of it. */
  loadMost = 0;
  /** Why the last order was refused, in words. */
  error: string | null = null;
  /** What pressing on a part does while it runs. */
  mode: "pull" | "push" = "pull";
  /** Target positions of motors, by q; null while they hold the start. */
  targets: Float64Array | null = null;
  /** Target speeds or efforts of motors, by v [rad/s, m/s; N m, N]; kept for the next start. */
  rates = new Map<number, number>();
  /** Height of the floor that the view shows [m]. */
  ground = 0;
  busy = false;
  /** Whether a chart of what a joint bears is open. */
  charted = false;
  readonly history = new LiveHistory();
  readonly hands: Hands;
  /** Of a world: what sensors, agents and motors write and read. */
  readonly signals: Signals;
  readonly sensors: Sensors;
  readonly colors: NodeColors;

  /** Where the last start was: what reset goes back to. */
  private origin: Float64Array | null = null;
  /** Times of the recorder: [s of its clock, s simulated] that belong together. */
  private clocks: [number, number] | null = null;
  /** Whether nothing was heard since the last start. */
  private isNew = false;
  /** Whether somebody ended it: a start that was still under way did not fail. */
  private isEnding = false;
  /** The time that is being gone to [s]. */
  private going: number | null = null;

  constructor(
    private readonly studio: PoseHost &
      ChoiceHost &
      NoticeHost &
      NumberHost &
      MotionHost &
      SceneHost &
      SessionHost &
      RequestHost,
  ) {
    this.hands = new Hands(
      (message) => this.send(message),
      () => this.changed(),
      () => studio.emit("stir", null),
    );
    this.signals = new Signals(
      (message) => this.send(message),
      () => this.changed(),
      () => this.state.signals,
    );
    this.sensors = new Sensors(
      () => (this.isOn ? this.state.sensors : []),
      () => this.askPictures(),
      () => this.changed(),
      () => studio.emit("live", this),
    );
    this.colors = new NodeColors(
      () => this.state.signals,
      () => this.changed(),
      () => this.frame?.signals ?? null,
    );
    studio.on("model", () => this.forget());
    studio.on("connection", (state) => {
      if (state !== "open" && this.isOn) this.took({ ...OFF, reason: "" });
    });
    studio.on("recording", ({ recording }) => {
      if (!recording) this.clocks = null;
    });
    // forces belong to the lengths and to the pose that they were worked out for
    studio.on("numbers", () => this.forgetForces());
    studio.on("pose", (source) => {
      if (source !== "simulation" && this.reactions && this.isApart()) this.forgetForces();
    });
    // two at a time would tear at the mechanism
    studio.on("playback", ({ playing }) => {
      if (playing && this.isRunning) void this.pause();
    });
  }

  get phase(): State["phase"] {
    return this.state.phase;
  }
  get isOn(): boolean {
    return this.phase !== "off";
  }
  get isRunning(): boolean {
    return this.phase === "running";
  }
  /** Whether this page runs it; others follow by poses. */
  get isOurs(): boolean {
    return this.isOn && this.state.owner === this.studio.welcome?.client;
  }
  /** The frame as far as its forces are those of the pose that is shown: none of a run that has
   * ended, or of a mechanism that was moved since. */
  get acting(): LiveFrame | null {
    const isOver = this.phase === "stopped" || (!this.isRunning && this.state.reason !== "");
    return this.isOn && !isOver && !this.isApart() ? this.frame : null;
  }

  /** Of the strongest hand [N]. */
  get force(): number {
    return this.frame ? strongest(this.frame) : 0;
  }

  /** Whether the mechanism is elsewhere than the simulation left it. */
  get isElsewhere(): boolean {
    return this.isApart();
  }

  // Orders

  /** Runs on, or begins where the mechanism is now. */
  async play(): Promise<void> {
    if (this.studio.refuseIfWatching()) return;
    if (this.phase === "paused" && !this.isApart()) await this.order("play");
    else await this.start(true);
  }

  async pause(): Promise<void> {
    if (!this.isOn) return;
    const { model } = this.studio;
    this.hands.releaseAll();
    // another mechanism may have been opened meanwhile
    if (!(await this.order("pause")) || model !== this.studio.model) return;
    if (!this.isApart()) this.studio.commitPose("Simulate");
  }

  async toggle(): Promise<void> {
    await (this.isRunning ? this.pause() : this.play());
  }

  /** One or more steps. */
  async step(count = 1): Promise<void> {
    if (this.studio.refuseIfWatching()) return;
    if (!this.isOn || this.phase === "stopped" || this.isApart()) await this.start(false);
    if (this.phase !== "stopped") await this.order("step", { count });
  }

  /** Back to where the last start was, at rest. */
  async reset(): Promise<void> {
    const { origin, studio } = this;
    if (origin === null || studio.refuseIfWatching()) return;
    this.hands.releaseAll();
    studio.setPose(origin, "set");
    await this.start(false);
    studio.commitPose("Reset the simulation");
  }

  async end(): Promise<void> {
    if (!this.isOn) return;
    const { model } = this.studio;
    this.hands.releaseAll();
    this.isEnding = true;
    if ((await this.order("end")) && model === this.studio.model)
      this.studio.commitPose("Simulate");
    this.settings = { ...this.settings, log: null };
  }

  /** A world: goes to a time that it has passed [s]; of several the last one counts. */
  async goTo(time: number): Promise<void> {
    if (!this.isOn || this.studio.refuseIfWatching()) return;
    const isGoing = this.going !== null;
    this.going = time;
    if (isGoing) return;
    this.hands.releaseAll();
    for (let next = NaN; next !== this.going;) {
      next = this.going;
      if (!(await this.order("go_to", { time: next }))) break;
    }
    this.going = null;
  }

  /** Whether what runs is a log of a world. */
  get isReplay(): boolean {
    return this.isOn && this.settings.log !== null;
  }

  /** Shows the beginning of a log of the project folder. */
  async replay(file: string): Promise<void> {
    if (this.studio.refuseIfWatching()) return;
    await this.end();
    this.settings = { ...this.settings, log: file };
    await this.start(false);
    if (this.error) this.settings = { ...this.settings, log: null };
    this.changed();
  }

  /** Gives a node of the world an attribute. */
  setAttribute(node: string, name: string, value: number, unit = ""): void {
    this.send({ kind: "set_attribute", node, name, value, unit });
  }

  /** The log that is being written, or the last one. */
  get log(): State["log"] {
    return this.state.log;
  }
  get isLogging(): boolean {
    return this.isOn && this.log?.end === null;
  }

  /** Begins a log of the world, from its start where it does not run yet; or finishes it. */
  async writeLog(record: boolean): Promise<void> {
    if (this.studio.refuseIfWatching()) return;
    const isNew = record && (!this.isOn || this.phase === "stopped" || this.isApart());
    if (isNew) await this.start(false);
    if (this.error === null && (await this.order("log", { record })) && isNew)
      await this.order("play");
  }

  /** A motion that is followed: back to before the last touch. */
  async undo(): Promise<void> {
    await this.order("undo");
  }

  /** Other settings: what runs takes them over at once, and continues from where it is. */
  async set(change: Partial<SimulationSettings>): Promise<void> {
    const before = this.settings;
    this.settings = { ...this.settings, ...change };
    this.changed();
    if ("motion" in change && change.motion !== before.motion) {
      // it goes to the beginning of the motion and waits there
      if (change.motion || this.isOn) await this.start(false);
      if (this.error) this.settings = { ...this.settings, motion: null };
      this.changed();
      return;
    }
    // that is the page's own
    if (!this.isOn || Object.keys(change).every((key) => key === "whole")) return;
    if (change.hold) this.targets = null;
    if (change.engine) this.forgetForces();
    if (!(await this.order("set", { settings: this.wireSettings() }))) this.settings = before;
    this.changed();
  }

  /** Where a motor's joint should be: its numbers in q. */
  target(joint: number, values: readonly number[]): void {
    const data = this.studio.model?.data.joints[joint];
    if (!data) return;
    this.targets ??= this.frame?.q.slice() ?? this.studio.q.slice();
    this.targets.set(values, data.q);
    this.send({ kind: "set_target", joint: data.name, values: [...values], what: "position" });
    this.changed();
  }

  /** The target of the motor of a joint's variable: position, speed or effort. */
  modeOf(joint: JointData, variable: number): MotorMode {
    return this.settings.modes[joint.name] ?? joint.variables[variable]?.mode ?? "position";
  }

  /** How fast or how hard a motor should go, as its mode has it. */
  setRate(joint: JointData, variable: number, value: number): void {
    this.rates.set(joint.v + variable, value);
    this.sendRates(joint);
    this.changed();
  }

  /** Another mode of a joint's motors; they stand still until they get a target. */
  async setMotorMode(joint: JointData, mode: MotorMode): Promise<void> {
    for (let k = 0; k < joint.nv; ++k) this.rates.delete(joint.v + k);
    await this.set({ modes: { ...this.settings.modes, [joint.name]: mode } });
    this.sendRates(joint);
  }

  private sendRates(joint: JointData): void {
    for (const what of ["velocity", "effort"] as const) {
      const values = joint.variables.map((_, k) => {
        const meant = this.modeOf(joint, k) === "torque" ? "effort" : "velocity";
        const isMeant = meant === what && !isPlace(this.modeOf(joint, k));
        return isMeant ? (this.rates.get(joint.v + k) ?? 0) : null;
      });
      if (values.some((value) => value !== null))
        this.send({
          ...{ kind: "set_target", joint: joint.name, what },
          values: values.map((value) => value ?? 0),
        });
    }
  }

  /** What joint forces are wanted depends on what is shown. */
  get wantsReactions(): boolean {
    const { overlays } = this.studio.settings;
    return this.charted || overlays.includes("reactions") || overlays.includes("loads");
  }

  setMode(mode: "pull" | "push"): void {
    this.mode = mode;
    this.changed();
  }

  // Hands

  /** Takes hold of a site by a spring. */
  pull(spec: HandleSpec): Grab {
    const { model } = this.studio;
    return this.hands.pull(model?.siteNames[spec.site] ?? "", spec);
  }

  /** Once per picture: sends where the hands are. */
  tick(): void {
    if (this.isRunning) this.hands.flush();
    if (this.isOurs && this.wantsReactions !== (this.state.settings.reactions ?? false))
      this.askReactions();
  }

  /** The run so far, as a motion in the player; nothing where there is none. */
  keep(name = "run"): boolean {
    const { model, player } = this.studio;
    const motion = model && this.history.motion(model, name);
    if (!motion) return false;
    player.load(motion, Infinity);
    return true;
  }

  // What the studio says

  /** @internal */
  took(state: State): void {
    const wasRunning = this.isRunning;
    this.state = state;
    if (!this.isRunning) this.hands.all.splice(0);
    if (wasRunning && state.phase === "stopped" && this.studio.recorder.recording)
      this.studio.stopRecording();
    if (!this.isOn) {
      this.frame = null;
      // what comes next is a simulation
      if (!this.busy) this.settings = { ...this.settings, log: null };
      this.sensors.forget();
    } else this.sensors.listed();
    if (!this.isOn || state.unknown) this.forgetForces();
    this.changed();
  }

  /** @internal */
  received(frame: LiveFrame): void {
    const { studio } = this;
    // what was still under way when it ended says nothing any more
    if (frame.q.length !== studio.model?.nq || !this.isOn) return;
    const isApart = !this.isNew && !this.isRunning && this.phase !== "starting" && this.isApart();
    this.isNew = false;
    this.frame = frame;
    if (frame.reactions.length > 0) this.loaded(frame.reactions);
    this.history.add(frame, this.state.signals);
    // what was moved by hand in a pause stays where it was put
    if (!isApart) studio.setPose(this.closed(frame.q), "simulation");
    this.state.objects.forEach((name, i) =>
      studio.scene.move(name, frame.objects.subarray(7 * i, 7 * i + 7)),
    );
    studio.emit("live", this);
  }

  /** @internal The recorder's time of the present pose: simulated time, whatever the speed. */
  recordTime(): number {
    const now = this.studio.clock();
    const time = this.frame?.time ?? 0;
    if (this.clocks === null || time < this.clocks[1]) this.clocks = [now, time];
    return this.clocks[0] + time - this.clocks[1];
  }

  // Inside

  private async start(run: boolean): Promise<void> {
    const { studio } = this;
    studio.player.pause();
    this.targets = null;
    this.forgetForces();
    this.history.clear();
    this.isNew = true;
    this.isEnding = false;
    const q = studio.q.slice();
    if (!(await this.order("start", { q: Array.from(q), settings: this.wireSettings(), run })))
      return;
    this.origin = q;
    for (const joint of studio.model?.data.joints ?? [])
      if (joint.variables.some((_, k) => this.rates.get(joint.v + k))) this.sendRates(joint);
  }

  /** What is not known is not shown. */
  private forgetForces(): void {
    this.reactions = null;
    this.loadMost = 0;
  }

  private loaded(reactions: Float64Array): void {
    this.reactions = reactions;
    const loads = linkLoads(this.studio.model?.data.joints ?? [], reactions);
    this.loadMost = Math.max(FADES * this.loadMost, ...loads);
  }

  /** A pose as the page can show it: lengths that are being changed are not in the text yet. */
  private closed(q: Float64Array): Float64Array {
    const { model, pendingNumbers } = this.studio;
    if (model === null || pendingNumbers.length === 0) return q;
    const near = q.slice();
    return model.close(near).outcome === "stuck" ? this.studio.q : near;
  }

  /** Gravity as it acts, or would [m/s²]. */
  get gravity(): ArrayLike<number> {
    const { gravity, own } = this.settings;
    if (gravity === "own") return own;
    return (gravity === "file" && this.studio.model?.part("gravity")) || [0, 0, 0];
  }

  private wireSettings(): LiveSettings {
    const { engine, step, gravity, own, floor, objects, hold, modes, speed } = this.settings;
    const { firmness, damping, motion, resume, seed, log } = this.settings;
    return {
      ...{ engine, step, objects, hold: hold && motion === null, modes, speed, firmness, damping },
      gravity: gravity === "file" ? null : gravity === "none" ? [0, 0, 0] : own,
      floor: floor ? this.ground : null,
      reactions: this.wantsReactions,
      ...{ motion, resume, seed, log, pictures: [...this.sensors.open] },
    };
  }

  private askPictures(): void {
    if (this.isOurs) void this.order("set", { settings: this.wireSettings() });
  }

  private askReactions(): void {
    this.state.settings.reactions = this.wantsReactions;
    if (!this.wantsReactions) this.reactions = null;
    void this.order("set", { settings: this.wireSettings() });
  }

  /** Whether the mechanism is elsewhere than the simulation left it. */
  private isApart(): boolean {
    const { q } = this.studio;
    const own = this.frame?.q;
    return own?.length !== q.length || q.some((x, i) => Math.abs(x - own[i]) > SAME);
  }

  private async order(
    verb: Simulate["verb"],
    more: Partial<Omit<Simulate, "kind" | "request" | "verb">> = {},
  ): Promise<boolean> {
    const { model } = this.studio;
    this.busy = true;
    this.error = null;
    this.changed();
    try {
      await this.studio.simulate({ kind: "simulate", verb, ...more });
      return true;
    } catch (error) {
      // what was asked of a mechanism that is gone troubles nobody
      if (model === this.studio.model && !(this.isEnding && verb === "start"))
        this.error = error instanceof Error ? error.message : String(error);
      return false;
    } finally {
      this.busy = false;
      this.changed();
    }
  }

  private send(message: FromPage): boolean {
    return this.isOn && (this.studio.link?.send(message) ?? false);
  }

  private changed(): void {
    this.studio.emit("simulation", this);
  }

  /** Another mechanism. */
  private forget(): void {
    this.history.clear();
    this.origin = this.targets = this.frame = this.reactions = null;
    this.error = null;
    this.rates.clear();
    this.signals.forget();
    this.settings = {
      ...this.settings,
      motion: null,
      modes: {},
      seed: null,
      log: null,
      ...suitable(this.studio),
    };
    this.changed();
  }
}

/** Whether the target of a motor in this mode is a position. */
export function isPlace(mode: MotorMode): boolean {
  return mode === "position" || mode === "computed";
}
