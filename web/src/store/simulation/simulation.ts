// The live simulation as the page has it: started, paused, pushed and pulled; what its frames say.
import type { HandleSpec } from "../../kernel/dragger.ts";
import type { LiveFrame, LiveHand } from "../../wire/frames.ts";
import type {
  EngineData,
  FromPage,
  LiveSettings,
  Simulation as State,
  SimulationOrder,
} from "../../wire/messages.ts";
import type { EditOf } from "../requests.ts";
import { suitable } from "./first-settings.ts";
import { ForceDevices } from "./force-devices.ts";
import { Hands } from "./hands.ts";
import { Hardware } from "./hardware.ts";
import { LiveHistory, strongest } from "./history.ts";
import { JointForces } from "./joint-forces.ts";
import { Motors } from "./motors.ts";
import { NodeColors } from "./node-colors.ts";
import { RecordClock } from "./record-clock.ts";
import { Sensors } from "./sensors.ts";
import { FIRST, settingsOf, type SimulationSettings, wireSettings } from "./settings.ts";
import { Signals } from "./signals.ts";
import { WorldRun } from "./world-run.ts";
import type {
  ChoiceHost,
  MotionHost,
  NoticeHost,
  NumberHost,
  PoseHost,
  RequestHost,
  SceneHost,
  ConnectionHost,
} from "../hosts.ts";
import type { Grab } from "../types.ts";

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
    wires: [],
    devices: [],
  },
};
/** Poses that differ by less are the same. */
const SAME = 1e-9;

export class Simulation {
  state: State = OFF;
  settings: SimulationSettings = { ...FIRST };
  frame: LiveFrame | null = null;
  /** Why the last order was refused, in words. */
  error: string | null = null;
  /** What pressing on a part does while it runs. */
  mode: "pull" | "push" = "pull";
  /** Height of the floor that the view shows [m]. */
  ground = 0;
  busy = false;
  readonly jointForces: JointForces;
  readonly history = new LiveHistory();
  readonly hands: Hands;
  /** Of a world: what sensors, agents and motors write and read. */
  readonly signals: Signals;
  readonly sensors: Sensors;
  readonly colors: NodeColors;
  readonly motors: Motors;
  readonly world: WorldRun;
  /** By which other programs move it. */
  readonly hardware: Hardware;
  /** Held by people whose hands feel forces. */
  readonly devices: ForceDevices;

  /** Where the last start was: what reset goes back to. */
  private origin: Float64Array | null = null;
  private readonly recordClock = new RecordClock();
  /** Whether nothing was heard since the last start. */
  private isNew = false;
  /** Whether somebody ended it: a start that was still under way did not fail. */
  private isEnding = false;

  constructor(
    readonly studio: PoseHost &
      ChoiceHost &
      NoticeHost &
      NumberHost &
      MotionHost &
      SceneHost &
      ConnectionHost &
      RequestHost,
  ) {
    this.jointForces = new JointForces(studio);
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
    this.motors = new Motors(this);
    this.world = new WorldRun(this);
    this.hardware = new Hardware(this);
    this.devices = new ForceDevices(this);
    studio.on("model", () => this.forget());
    studio.on("connection", (state) => {
      if (state !== "open" && this.isOn) this.took({ ...OFF, reason: "" });
    });
    studio.on("recording", ({ recording }) => {
      if (!recording) this.recordClock.reset();
    });
    // forces belong to the lengths and to the pose that they were worked out for
    studio.on("numbers", () => this.jointForces.forget());
    studio.on("pose", (source) => {
      if (source !== "simulation" && this.jointForces.reactions && this.isApart())
        this.jointForces.forget();
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
  /** The engine that is chosen, as the studio describes it. */
  get engine(): EngineData | undefined {
    return this.studio.welcome?.engines.find(({ name }) => name === this.settings.engine);
  }
  /** Whether this page runs it, and gets the pictures of cameras. */
  get isOurs(): boolean {
    return this.isOn && this.state.owner === this.studio.welcome?.client;
  }
  /** The frame as far as its forces are those of the pose that is shown: none of a run that has
   * ended, or of a mechanism that was moved since. */
  get acting(): LiveFrame | null {
    const isOver = this.phase === "stopped" || (!this.isRunning && this.state.reason !== "");
    return this.isOn && !isOver && !this.isApart() ? this.frame : null;
  }

  /** The hands of this page, as the last frame has them. */
  get ownHands(): LiveHand[] {
    const own = this.studio.welcome?.client;
    return this.frame?.hands.filter(({ client }) => client === own) ?? [];
  }
  /** The hands of others: of other pages, and of the file itself. */
  get otherHands(): LiveHand[] {
    const own = this.studio.welcome?.client;
    return this.frame?.hands.filter(({ client }) => client !== own) ?? [];
  }
  /** What the last frame says of a hand of this page. */
  handRow(number: number | null): LiveHand | undefined {
    return this.ownHands.find(({ hand }) => hand === number);
  }

  /** Of the strongest hand of this page [N]. */
  get force(): number {
    return strongest({ hands: this.ownHands });
  }

  /** Largest torques and forces of motors, per v [N m, N]; infinite where none is given. */
  get largestEfforts(): ArrayLike<number> {
    return this.studio.model?.effort ?? [];
  }

  /** Whether the mechanism is elsewhere than the simulation left it. */
  get isElsewhere(): boolean {
    return this.isApart();
  }

  /** Whether there is nothing that could continue. */
  get needsStart(): boolean {
    return !this.isOn || this.phase === "stopped" || this.isApart();
  }

  // Orders

  /** Runs on, or begins where the mechanism is now. */
  async play(): Promise<void> {
    if (this.studio.refuseIfWatching()) return;
    if (this.phase === "paused" && !this.isApart()) await this.order("play_simulation", {});
    else await this.start(true);
  }

  async pause(): Promise<void> {
    if (!this.isOn) return;
    const { model } = this.studio;
    this.hands.releaseAll();
    // another mechanism may have been opened meanwhile
    if (!(await this.order("pause_simulation", {})) || model !== this.studio.model) return;
    if (!this.isApart()) this.studio.commitPose("Simulate");
  }

  async toggle(): Promise<void> {
    await (this.isRunning ? this.pause() : this.play());
  }

  /** One or more steps. */
  async step(count = 1): Promise<void> {
    if (this.studio.refuseIfWatching()) return;
    if (this.needsStart) await this.start(false);
    if (this.phase !== "stopped") await this.order("step_simulation", { count });
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
    if ((await this.order("end_simulation", {})) && model === this.studio.model)
      this.studio.commitPose("Simulate");
    this.settings = { ...this.settings, log: null, wires: [], devices: [] };
  }

  /** Whether what runs is a log of a world. */
  get isReplay(): boolean {
    return this.isOn && this.settings.log !== null;
  }

  /** Shows the beginning of a log of the project folder. */
  async replay(file: string): Promise<void> {
    if (this.studio.refuseIfWatching()) return;
    await this.end();
    this.settings = { ...this.settings, log: file, wires: [], devices: [] };
    await this.start(false);
    if (this.error) this.settings = { ...this.settings, log: null };
    this.changed();
  }

  /** A motion that is followed: back to before the last touch. */
  async undo(): Promise<void> {
    await this.order("undo_touch", {});
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
    if (change.hold) this.motors.targets = null;
    if (change.engine) this.jointForces.forget();
    if (!(await this.order("set_simulation", { settings: this.wireSettings() })))
      this.settings = before;
    this.changed();
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
    if (this.isOurs && this.jointForces.areWanted !== (this.state.settings.reactions ?? false))
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
      if (!this.busy) this.settings = { ...this.settings, log: null, wires: [], devices: [] };
      this.sensors.forget();
    } else {
      // an order from here must not undo what another page has set
      if (!this.isOurs && !this.busy && this.isOn)
        this.settings = settingsOf(state.settings, this.settings);
      this.sensors.listed();
    }
    this.hardware.took(state.wires);
    this.devices.took(state.devices);
    if (!this.isOn || state.unknown) this.jointForces.forget();
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
    if (frame.reactions.length > 0) this.jointForces.took(frame.reactions);
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
    return this.recordClock.at(this.studio.clock(), this.frame?.time ?? 0);
  }

  // Inside

  /** @internal */
  async start(run: boolean): Promise<void> {
    const { studio } = this;
    studio.player.pause();
    this.motors.targets = null;
    this.jointForces.forget();
    this.history.clear();
    this.isNew = true;
    this.isEnding = false;
    const q = studio.q.slice();
    const order = { q: Array.from(q), settings: this.wireSettings(), run };
    if (!(await this.order("start_simulation", order))) return;
    this.origin = q;
    this.motors.restart();
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
    const { ground, jointForces, sensors } = this;
    const more = { ground, reactions: jointForces.areWanted, pictures: sensors.open };
    return wireSettings(this.settings, more);
  }

  private askPictures(): void {
    if (this.isOurs) void this.order("set_simulation", { settings: this.wireSettings() });
  }

  private askReactions(): void {
    this.state.settings.reactions = this.jointForces.areWanted;
    if (!this.jointForces.areWanted) this.jointForces.reactions = null;
    void this.order("set_simulation", { settings: this.wireSettings() });
  }

  /** Whether the mechanism is elsewhere than the simulation left it. */
  private isApart(): boolean {
    const { q } = this.studio;
    const own = this.frame?.q;
    return own?.length !== q.length || q.some((x, i) => Math.abs(x - own[i]) > SAME);
  }

  /** @internal */
  async order<K extends SimulationOrder["kind"]>(
    kind: K,
    order: EditOf<SimulationOrder, K>,
  ): Promise<boolean> {
    const { model } = this.studio;
    this.busy = true;
    this.error = null;
    this.changed();
    try {
      await this.studio.simulate(kind, order);
      return true;
    } catch (error) {
      // what was asked of a mechanism that is gone troubles nobody
      if (model === this.studio.model && !(this.isEnding && kind === "start_simulation"))
        this.error = error instanceof Error ? error.message : String(error);
      return false;
    } finally {
      this.busy = false;
      this.changed();
    }
  }

  /** @internal */
  send(message: FromPage): boolean {
    return this.isOn && (this.studio.link?.send(message) ?? false);
  }

  /** @internal */
  changed(): void {
    this.studio.emit("simulation", this);
  }

  /** Another mechanism. */
  private forget(): void {
    this.history.clear();
    this.origin = this.frame = this.jointForces.reactions = null;
    this.error = null;
    this.motors.forget();
    this.signals.forget();
    this.settings = {
      ...this.settings,
      motion: null,
      modes: {},
      seed: null,
      log: null,
      wires: [],
      ...suitable(this.studio),
    };
    this.changed();
  }
}
