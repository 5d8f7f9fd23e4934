// The path in hand: a curve for a frame, planned by the studio whenever it changes.
import { Cancelled } from "../../wire/answers.ts";
import {
  type CurveKind,
  defaultCurve,
  type FittedCurve,
  type PathCurve,
  type Place,
  type Triple,
} from "./curves.ts";
import { type CurveHandle, handlesOf, withHandle } from "./handles.ts";
import { PathPlan } from "./plan.ts";
import {
  pathRequest,
  type PathTiming,
  type PathSettings,
  TIMING,
  PATH_DEFAULTS,
} from "./request.ts";
import { strokeCurve } from "./stroke.ts";
import { PathWalk } from "./walk.ts";
import type {
  BranchData,
  CurveProblemData,
  FileLink,
  PathFileRequest,
  PathMenuResult,
  PathSpec,
} from "../../wire/messages.ts";
import type { Work } from "../requests.ts";
import type {
  ChoiceHost,
  MotionHost,
  NoticeHost,
  PoseHost,
  RequestHost,
  SceneHost,
} from "../hosts.ts";

/** Speed of the tool in radii of the place per second. */
const PACE = 1.2;
/** Strokes are sampled this far apart, as a share of the place's radius. */
const STROKE = 0.01;

export class Paths {
  /** The frame that follows; null for the file's last. */
  frame: string | null = null;
  curve: PathCurve | null = null;
  settings: PathSettings = PATH_DEFAULTS;
  timing: PathTiming = TIMING;
  plan: PathPlan | null = null;
  problem: CurveProblemData | null = null;
  place: Place | null = null;
  menu: PathMenuResult | null = null;
  branches: readonly BranchData[] | null = null;
  /** The one that was chosen, null for the nearest. */
  branch: BranchData | null = null;
  /** Whether something is being worked out. */
  busy = false;
  /** Whether numbers have changed since the path was planned. */
  stale = false;
  /** What the pointer does in the view; handles only while the panel is open. */
  mode: "off" | "handles" | "draw" | "pick" = "off";
  /** A line that is being drawn. */
  stroke: Triple[] = [];
  /** Where it stands on the path. */
  readonly walk: PathWalk;
  private wanted = 0;
  /** The first request whose path should be brought into view. */
  private newFrom = Infinity;
  /** Whether the tool's speed was chosen by hand. */
  private isPaced = false;
  private running: Work<unknown> | null = null;
  private mechanism: string | null = null;
  private text: string | null = null;

  constructor(
    private readonly studio: PoseHost &
      ChoiceHost &
      NoticeHost &
      MotionHost &
      SceneHost &
      RequestHost,
  ) {
    this.walk = new PathWalk(studio, () => this.changed());
    studio.on("snapshot", ({ model, text }) => {
      const changed = text !== this.text;
      this.text = text;
      if (model.name !== this.mechanism) this.forget(model.name);
      else if (changed && this.curve) this.replan();
    });
    studio.on("numbers", () => {
      if (this.plan === null) return;
      this.stale = true;
      this.changed();
    });
  }

  // Choosing

  /** The name of the frame that follows. */
  get frameName(): string {
    const names = this.studio.model?.siteNames ?? [];
    return this.frame !== null && names.includes(this.frame) ? this.frame : (names.at(-1) ?? "");
  }

  get site(): number {
    return Math.max(0, this.studio.model?.siteNames.lastIndexOf(this.frameName) ?? 0);
  }

  async setFrame(frame: string): Promise<void> {
    this.frame = frame;
    this.place = this.menu = this.walk.home = null;
    const kind = this.curve?.kind;
    this.changed();
    if (kind) await this.choose(kind);
  }

  /** A curve of a kind, where the frame can follow it. */
  async choose(kind: CurveKind): Promise<void> {
    const place = await this.findPlace();
    if (place === null) return;
    if (kind === "surface" || kind === "volume") await this.findMenu();
    const objects = this.studio.scene.objects.map((one) => one.name);
    const curve = defaultCurve(kind, place, this.menu, objects);
    this.mode = kind === "picks" ? "pick" : "handles";
    if (curve.kind === "surface" || curve.kind === "volume") await this.setFitted(curve);
    else this.setCurve(curve);
    this.show();
  }

  /** Has the view show the path when it comes, where it does not. */
  show(): void {
    this.newFrom = this.wanted;
  }

  /** Takes a curve, brought within reach by scale and offset. */
  async setFitted(curve: FittedCurve): Promise<void> {
    const place = await this.findPlace();
    if (place === null) return this.setCurve(curve);
    const { centre, radius } = place;
    const found = await this.waited(this.studio.ask("path_fit", { curve, centre, radius }));
    this.setCurve({ ...curve, ...found?.fit });
  }

  setCurve(curve: PathCurve): void {
    this.curve = curve;
    this.branches = null;
    this.replan();
  }

  setSettings(change: Partial<PathSettings>): void {
    this.settings = { ...this.settings, ...change };
    if ("speed" in change) this.isPaced = true;
    if (change.hold) {
      // as the tool is now, until something else is said
      const [w, x, y, z] = this.studio.poses.subarray(7 * this.site, 7 * this.site + 4);
      const down = 1 - 2 * (x ** 2 + y ** 2);
      const quat = [w, x, y, z] as [number, number, number, number];
      this.settings = { ...this.settings, quat, wrist: Math.asin(Math.min(1, Math.max(-1, down))) };
    }
    if ("hold" in change) this.branches = null;
    this.replan();
  }

  setTiming(change: Partial<PathTiming>): void {
    this.timing = { ...this.timing, ...change };
    this.replan();
  }

  setMode(mode: Paths["mode"]): void {
    this.mode = mode;
    this.stroke = [];
    this.changed();
  }

  clear(): void {
    this.curve = this.plan = this.problem = this.branches = null;
    this.wanted += 1;
    this.stale = false;
    this.walk.take(null, 0);
    this.walk.leave();
    this.changed();
  }

  // Dragging and drawing

  get handles(): CurveHandle[] {
    if (this.curve === null || this.mode !== "handles") return [];
    return handlesOf(this.curve, this.plan?.middle ?? null);
  }

  moveHandle(id: string, to: Triple): void {
    if (this.curve === null) return;
    this.setCurve(withHandle(this.curve, id, to, this.plan?.middle ?? null));
  }

  /** Lets a curve be drawn by hand. */
  async startDraw(): Promise<void> {
    if ((await this.findPlace()) !== null) this.setMode("draw");
  }

  /** Continues the line that is being drawn. */
  draw(to: Triple): void {
    const last = this.stroke.at(-1);
    const near = STROKE * (this.place?.radius ?? 0.01);
    if (last && Math.hypot(to[0] - last[0], to[1] - last[1], to[2] - last[2]) < near) return;
    this.stroke = [...this.stroke, to];
    this.changed();
  }

  /** Ends the line: a spline through a few of its points. */
  endDraw(): void {
    const curve = this.stroke.length > 2 ? strokeCurve(this.stroke) : null;
    this.stroke = [];
    if (curve === null) return this.changed();
    this.mode = "handles";
    this.setCurve(curve);
  }

  /** A place on a surface, with its normal. */
  pick(at: Triple, normal: Triple): void {
    const { curve } = this;
    if (curve?.kind !== "picks") return;
    this.setCurve({
      ...curve,
      points: [...curve.points, at],
      normals: [...curve.normals, normal],
    });
  }

  // Planning

  /** Asks for the path again; at most one is on its way, and the newest request wins. */
  replan(): void {
    this.wanted += 1;
    if (this.curve?.kind === "picks" && this.curve.points.length < 2) {
      this.plan = this.problem = null;
      this.walk.leave();
    } else if (this.curve !== null && !this.busy) void this.run();
    this.changed();
  }

  /** The ways to begin the curve, with names. */
  async findBranches(): Promise<void> {
    if (this.curve === null) return;
    const path = this.request(this.curve);
    const found = await this.waited(this.studio.ask("path_branches", { path }));
    this.branches = found?.branches ?? [];
    this.branch = this.branches[0] ?? null;
    this.changed();
  }

  /** Begins the path in a branch, and goes there. */
  takeBranch(branch: BranchData): void {
    const q = Float64Array.from(branch.q);
    this.branch = branch;
    this.walk.go(q);
    this.walk.home = q;
    this.walk.at = null;
    this.replan();
  }

  /** A file of the path. */
  exportFile(format: PathFileRequest["format"]): Work<FileLink> {
    if (this.curve === null)
      return { promise: Promise.reject(new Error("there is no path")), cancel: () => undefined };
    return this.studio.ask("path_file", { path: this.request(this.curve), format });
  }

  // Inside

  private forget(mechanism: string): void {
    this.mechanism = mechanism;
    this.frame = null;
    this.place = this.menu = this.walk.home = null;
    this.settings = PATH_DEFAULTS;
    this.isPaced = false;
    this.timing = { ...this.timing, law: "constant" };
    this.running?.cancel();
    this.clear();
    if (this.mode !== "off") this.mode = "handles";
  }

  private request(curve: PathCurve): PathSpec {
    const { model, scene, settings } = this.studio;
    return {
      ...pathRequest(curve, this.settings, this.timing, model, (name) => scene.pose(name)),
      frame: this.frameName,
      start: this.start,
      limits: settings.keepLimits,
      avoid: settings.avoidCollisions,
    };
  }

  private get start(): number[] {
    return Array.from(this.walk.home ?? this.studio.q);
  }

  /** The answer, or null with the problem said where it belongs. */
  private async waited<T>(work: Work<T>): Promise<T | null> {
    try {
      return await work.promise;
    } catch (error) {
      if (error instanceof Cancelled) return null;
      const message = error instanceof Error ? error.message : String(error);
      this.problem = { message, field: null, offset: null };
      this.changed();
      return null;
    }
  }

  private async findPlace(): Promise<Place | null> {
    if (this.place) return this.place;
    const of = this.mechanism;
    this.busy = true;
    this.changed();
    const { frameName: frame, start } = this;
    const place = await this.waited(this.studio.ask("path_place", { frame, start }));
    this.busy = false;
    if (of !== this.mechanism) return null;
    this.place = place;
    // a few seconds for a path of that size
    if (place && !this.isPaced)
      this.settings = { ...this.settings, speed: Number((PACE * place.radius).toPrecision(1)) };
    this.changed();
    return place;
  }

  async findMenu(): Promise<PathMenuResult | null> {
    const of = this.mechanism;
    this.menu ??= await this.waited(this.studio.ask("path_menu", { frame: this.frameName }));
    if (of !== this.mechanism) this.menu = null;
    this.changed();
    return this.menu;
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.curve !== null) {
      const [mine, of] = [this.wanted, this.mechanism];
      const plan = new PathPlan();
      const path = this.request(this.curve);
      const work = this.studio.ask("path_plan", { path }, (piece) => plan.take(piece));
      this.running = work;
      const answer = await this.waited(work);
      if (of === this.mechanism && answer !== null && this.curve !== null) {
        if (answer.path) this.took(plan.finish(answer.path), mine);
        else this.problem = answer.problem;
      }
      if (mine === this.wanted) break;
      this.changed();
    }
    this.running = null;
    this.busy = false;
    this.changed();
  }

  private took(plan: PathPlan, mine: number): void {
    this.plan = plan;
    this.problem = null;
    plan.isNew = mine >= this.newFrom;
    if (plan.isNew) this.newFrom = Infinity;
    if (mine === this.wanted) this.stale = false;
    this.walk.take(plan, this.site);
  }

  private changed(): void {
    this.studio.emit("path", this);
  }
}
