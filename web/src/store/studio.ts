// The centre of the page: mechanism, pose, what is held and chosen; no framework, no drawing.
import type { HandleSpec, SolveReport, Vec3 } from "../kernel/dragger.ts";
import type { HullWorker } from "../kernel/hull/sculptor.ts";
import type { Kernels } from "../kernel/kernels.ts";
import type { PageModel } from "../kernel/page-model.ts";
import { PageFinder, type SingularFinder } from "../kernel/singular/finder.ts";
import type {
  ConflictData,
  MotionData,
  Notice,
  Saved,
  Snapshot,
  Watchers,
  Welcome,
} from "../wire/messages.ts";
import type { Shared } from "../wire/share.ts";
import { Connection, type ConnectionOptions } from "../wire/socket.ts";
import { LiveAvatar } from "./avatar/avatar.ts";
import { SingularityMonitor } from "./pose/singularity-monitor.ts";
import { Collisions } from "./pose/collisions.ts";
import { type Condition, conditionOf } from "./pose/condition.ts";
import { Designs } from "./design/design.ts";
import { Draft } from "./text/draft.ts";
import { Emitter } from "./emitter.ts";
import { JointMaps } from "./workspace/joint-maps.ts";
import { LocalMinimum } from "./pose/local-minimum.ts";
import type { NumberChange } from "./pose/live-numbers.ts";
import { LiveShapes } from "./pose/live-shapes.ts";
import { NumberEdits } from "./pose/number-edits.ts";
import type { StudioHost } from "./hosts.ts";
import { Moving } from "./motion/moving.ts";
import { Backlash } from "./workspace/backlash.ts";
import { Paths } from "./path/paths.ts";
import { Player } from "./motion/player.ts";
import { People } from "./people.ts";
import { Person } from "./programs/person.ts";
import { Programs } from "./programs/programs.ts";
import { Recorder } from "./motion/recorder.ts";
import { Requests, type TextChange } from "./requests.ts";
import { type Heart, PageHeart } from "./robot/heart.ts";
import { RealRobot } from "./robot/robot.ts";
import { Run } from "./motion/run.ts";
import { Scene } from "./scene.ts";
import { Session } from "./session.ts";
import { loadSettings, saveSettings, type Settings, type Store } from "./settings.ts";
import { Simulation } from "./simulation/simulation.ts";
import { Trackers } from "./trackers.ts";
import { Wall } from "./wall.ts";
import { Workspace } from "./workspace/workspace.ts";
import type {
  ConnectionState,
  DragStatus,
  Gauges,
  Ghost,
  Grab,
  OverlayData,
  PoseSource,
  Selection,
  StudioEvents,
} from "./types.ts";

export interface StudioOptions {
  kernels: Kernels;
  /** Where the server is; without it the page is on its own. */
  connection?: ConnectionOptions | null;
  /** Who looks for singular poses; a page gives a `WorkerFinder`, so that drags are not held up. */
  finder?: SingularFinder;
  /** Where settings are kept. */
  store?: Store | null;
  /** A clock [s]. */
  clock?: () => number;
  /** Makes the worker that carves avatars; a page without one has none. */
  sculptor?: () => HullWorker;
  /** The screen of the wall that this window is. */
  screen?: string | null;
  /** Signs of life for the studio while the page drives a robot. */
  heart?: Heart;
}

export class Studio extends Requests implements StudioHost {
  snapshot: Snapshot | null = null;
  welcome: Welcome | null = null;
  watchers: Watchers | null = null;
  model: PageModel | null = null;
  q: Float64Array = new Float64Array(0);
  /** Of all sites at q: 7 numbers each. */
  poses: Float64Array = new Float64Array(0);
  readOnly = false;
  connection: ConnectionState = "offline";
  settings: Settings;
  selection: Selection | null = null;
  status: DragStatus | null = null;
  /** What others wrote into the session's file, and somebody has to choose about. */
  disk: ConflictData | null = null;
  /** Why changes do not reach the studio's disk. */
  trouble: string | null = null;
  overlay: OverlayData = {
    traces: [],
    suspects: [],
    diagnosis: null,
    freeMotions: [],
    playing: null,
  };

  readonly kernels: Kernels;
  readonly clock: () => number;
  readonly recorder: Recorder;
  readonly player: Player;
  readonly singularity: SingularityMonitor;
  readonly scene: Scene;
  /** Which bodies touch, and what drags avoid. */
  readonly collisions: Collisions;
  readonly paths: Paths;
  readonly link: Connection | null;

  private readonly emitter = new Emitter<StudioEvents>();
  readonly on = this.emitter.on;
  readonly onAny = this.emitter.onAny;
  /** @internal for the parts of the store */
  readonly emit = this.emitter.emit;

  readonly draft: Draft = new Draft({
    sendText: (text, base) => this.editText(text, base),
    onDraft: (draft) => this.emit("draft", draft),
    onDraftError: (error) => {
      if (this.connection === "open") this.notice("error", error.message);
    },
  });
  readonly workspace: Workspace = new Workspace(this);
  readonly designs: Designs = new Designs(this);
  readonly maps: JointMaps = new JointMaps(this);
  readonly backlash: Backlash = new Backlash(this);
  readonly simulation: Simulation = new Simulation(this);
  /** Motors that run by themselves, in the page. */
  readonly run: Run = new Run(this);

  /** Python programs in the session. */
  readonly programs: Programs = new Programs(this);
  /** Who else is in the session, and where. */
  readonly people: People;
  /** The avatar of this page's user, carved from cameras. */
  readonly avatar: LiveAvatar;
  /** Screens of a room that show the mechanism together. */
  readonly wall: Wall;
  readonly trackers: Trackers = new Trackers(this);
  /** The real robot. */
  readonly robot: RealRobot;

  private readonly finder: SingularFinder;
  private readonly store: Store | null;
  private readonly moving: Moving = new Moving(this);
  private readonly edits: NumberEdits = new NumberEdits(this, this.moving);
  private readonly session: Session = new Session(this, this.moving, this.edits.live);

  constructor(options: StudioOptions) {
    super();
    this.kernels = options.kernels;
    this.store = options.store ?? null;
    this.clock = options.clock ?? (() => performance.now() / 1000);
    this.settings = loadSettings(this.store);
    this.recorder = new Recorder(
      // a recording of one who only watches stays in the page
      (samples) =>
        this.readOnly || (this.link?.send({ kind: "record_samples", ...samples }) ?? true),
      (recorder) => this.emit("recording", recorder),
    );
    this.player = new Player(
      { present: () => ({ model: this.model, q: this.q }), show: (q) => this.setPose(q, "play") },
      (player) => this.emit("playback", player),
    );
    this.wall = new Wall(this, options.screen ?? null);
    this.robot = new RealRobot(this, options.heart ?? new PageHeart());
    this.link = options.connection
      ? new Connection(options.connection, this.session.handlers)
      : null;
    this.finder = options.finder ?? new PageFinder();
    this.singularity = new SingularityMonitor(this, this.finder);
    new LocalMinimum(this);
    new Person(this, this.programs);
    this.people = new People(this);
    this.avatar = new LiveAvatar(this, options.sculptor ?? null);
    this.scene = new Scene(this);
    // what was found of other lengths is not shown on these
    this.on("numbers", () => {
      const { suspects, freeMotions, diagnosis } = this.overlay;
      if (suspects.length || freeMotions.length || diagnosis !== null)
        this.setOverlay({ suspects: [], diagnosis: null, freeMotions: [], playing: null });
    });
    new LiveShapes(this);
    this.collisions = new Collisions(this);
    this.paths = new Paths(this);
    if (this.link) {
      this.connection = "connecting";
      this.link.start();
    }
  }

  // Poses

  /** Shows a pose; loops are taken to be closed. */
  setPose(q: Float64Array, source: PoseSource): void {
    const { model } = this;
    if (model === null || q.length !== model.nq) return;
    // watchers read q at any time: it is replaced, never changed in place
    this.q = q.slice();
    this.poses = model.forward(this.q);
    const isSimulated = source === "simulation";
    if (this.recorder.recording)
      this.recorder.sample(this.q, isSimulated ? this.simulation.recordTime() : this.clock());
    // what the studio simulates it knows
    if (source !== "remote" && source !== "snapshot" && !isSimulated) this.report(false);
    this.emit("pose", source);
  }

  /** Makes the present pose a step of undo. */
  commitPose(label: string): void {
    this.report(true);
    if (this.link === null || this.readOnly) return;
    const version = this.snapshot?.version ?? null;
    const pose = { kind: "commit_pose", q: Array.from(this.q), label, version } as const;
    this.done(pose).catch((error: Error) => {
      if (this.connection === "open") this.notice("warning", error.message);
      else this.session.isUnreported = true;
    });
  }

  /** Goes to a pose by the straight way of every joint, at bounded speed; false: no such way. */
  moveTo(q: Float64Array, label: string): boolean {
    return this.moving.moveTo(q, label);
  }

  /** Follows closed poses at bounded speed, then makes the last a step of undo. */
  follow(
    poses: readonly Float64Array[],
    source: PoseSource,
    label: string,
    arrived?: () => void,
  ): void {
    this.moving.follow(poses, source, label, arrived);
  }

  /** Puts the mechanism back to the file's start. */
  home(): void {
    this.moving.home();
  }

  /** Brings a joint's variable to a value [rad, m], or as near as it gets. */
  setVariable(
    joint: number,
    variable: number,
    value: number,
    source: PoseSource = "slider",
    show?: (value: number) => string,
  ): SolveReport {
    return this.moving.setVariable(joint, variable, value, source, show);
  }

  // Numbers

  /** Changes a parameter at once, here; `commitNumbers` writes it into the text. */
  setParameter(name: string, value: number): boolean {
    return this.edits.set({ owner: null, key: name, value });
  }

  /** Changes a number of a joint or frame at once. False: refused, the status says why. */
  setNumber(owner: string, key: string, value: number): boolean {
    return this.edits.set({ owner, key, value });
  }

  /** What was changed here and is not yet in the text. */
  get pendingNumbers(): readonly NumberChange[] {
    return this.edits.live.pending;
  }

  /** Changes numbers in the text, as one step of undo; motors that this moves are named. */
  override async setNumbers(changes: TextChange[], label: string): Promise<void> {
    const { model, q } = this;
    await super.setNumbers(changes, label);
    if (model !== null && model === this.model && !this.run.isRunning)
      this.edits.sayGaveWay(model, q);
  }

  /** Writes the numbers that were changed into the text, as one step of undo. */
  commitNumbers(label: string): Promise<void> {
    return this.edits.commit(label);
  }

  // Grabbing

  /** Takes hold of a site; several at once are solved together. */
  grab(spec: HandleSpec): Grab {
    return this.moving.grab(spec);
  }

  get grabs(): readonly Grab[] {
    return this.moving.holding.grabs;
  }

  get pins(): readonly HandleSpec[] {
    return this.moving.holding.pins;
  }

  /** Holds a site where it is: its place, or with `rotation` its whole pose. */
  pin(site: number, point: Vec3 = [0, 0, 0], rotation = false): void {
    this.moving.pin(site, point, rotation);
  }

  unpin(index: number): void {
    this.moving.setPins(this.pins.filter((_, i) => i !== index));
  }

  /** One tick of whatever moves: call it once per frame; also at once after a grab has moved. */
  tick(now: number = this.clock()): boolean {
    if (this.model === null) return false;
    this.session.tick();
    this.simulation.tick();
    const hasMoved = this.moving.tick(this.model, now);
    this.singularity.watch(now);
    this.paths.walk.tick(now);
    return hasMoved;
  }

  /** Whether something moves by itself, so that it needs ticks; else events say when. */
  get isMoving(): boolean {
    const { moving, player, run, paths } = this;
    return moving.isMoving || player.playing || run.isRunning || paths.walk.playing;
  }

  /** Whether it goes somewhere by itself. */
  get isAnimating(): boolean {
    return this.moving.isAnimating;
  }

  // What the user chose

  setSetting<K extends keyof Settings>(key: K, value: Settings[K]): void {
    this.settings = { ...this.settings, [key]: value };
    saveSettings(this.store, this.settings);
    this.moving.holding.changed();
    this.emit("settings", this.settings);
  }

  select(selection: Selection | null): void {
    this.selection = selection;
    this.emit("selection", selection);
  }

  setOverlay(change: Partial<OverlayData>): void {
    this.overlay = { ...this.overlay, ...change };
    this.emit("overlay", this.overlay);
  }

  notice(level: Notice["level"], message: string): void {
    this.emit("notice", { kind: "notice", level, message });
  }

  /** How things stand: what every part of the page shows. */
  get condition(): Condition {
    return conditionOf(this);
  }
  get ghosts(): readonly Ghost[] {
    return this.singularity.ghosts;
  }
  get gauges(): Gauges | null {
    return this.singularity.gauges;
  }

  // Recording

  startRecording(name = "recording"): void {
    this.player.pause();
    this.recorder.start(this.must(), this.q, this.clock(), name);
  }

  /** Ends the recording and puts it into the player. */
  stopRecording(): MotionData | null {
    const motion = this.recorder.stop(
      this.simulation.isOn ? this.simulation.recordTime() : this.clock(),
    );
    // the mechanism stands at its end
    if (motion !== null) this.player.load(motion, Infinity);
    return motion;
  }

  // What the studio does besides; see Requests

  /** Saves the text; `overwrite` names what is on disk where that may be replaced. */
  async save(file: string, overwrite: string | null = null): Promise<void> {
    await this.draft.settled();
    const { files } = await this.work<Saved>({ kind: "save", file, overwrite }).promise;
    this.setFiles(files);
  }

  /** Takes over the file as it is on disk. */
  takeFromDisk(version: string): Promise<void> {
    return this.change({ kind: "take_from_disk", version });
  }

  /** @internal The files of the project folder have changed. */
  setFiles(files: string[]): void {
    if (this.welcome === null) return;
    this.welcome = { ...this.welcome, files };
    this.emit("welcome", this.welcome);
  }

  /** Throws away the unsaved work of a session that ended. */
  async dismiss(session: string): Promise<void> {
    await this.done({ kind: "dismiss", session });
    if (this.welcome === null) return;
    const recovered = this.welcome.recovered.filter((one) => one.session !== session);
    this.welcome = { ...this.welcome, recovered };
    this.emit("welcome", this.welcome);
  }

  /** Takes over a snapshot; also how a page without a server gets its mechanism. */
  takeSnapshot(snapshot: Snapshot): void {
    this.session.takeSnapshot(snapshot);
  }

  /** What a link to the present state holds; null without a mechanism. */
  shared(): Shared | null {
    return this.snapshot && { text: this.snapshot.text, q: Array.from(this.q) };
  }

  /** Ends connection and memory. */
  dispose(): void {
    this.link?.close();
    this.finder.dispose();
    this.avatar.dispose();
    this.moving.stop();
    this.moving.holding.changed();
    this.model?.free();
    this.model = null;
  }

  // For the other parts of the store

  /** @internal */
  must(): PageModel {
    if (this.model === null) throw new Error("there is no mechanism yet");
    return this.model;
  }

  /** @internal Ends what moves by itself, and lets go. */
  rest(): void {
    this.moving.stop();
  }

  /** @internal */
  refuseIfWatching(): boolean {
    if (this.readOnly)
      this.notice("info", "this page is view-only: only its owner can move the mechanism");
    return this.readOnly;
  }

  /** @internal Sends the studio the mechanism's pose. */
  report(isFinal: boolean): void {
    if (this.link === null || this.readOnly) return;
    if (this.connection !== "open") this.session.isUnreported = true;
    else if (this.snapshot) this.link.sendPose(this.q, this.snapshot.version, isFinal);
  }

  /** @internal */
  setStatus(status: DragStatus | null): void {
    if (status === null && this.status === null) return;
    this.status = status;
    this.emit("status", status);
  }
}
