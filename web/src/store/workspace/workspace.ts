// Where the mechanism can go: the cloud of a tree or the zone of loops, asked for and shown.
import type { Piece } from "../../wire/piece-frame.ts";
import { Bodies } from "./bodies.ts";
import { Detail } from "./detail.ts";
import { PointSet, type PointsPiece, poseOf } from "./points.ts";
import {
  type Cloud, type CloudSettings, CLOUD_DEFAULTS, ZONE_DEFAULTS, type PaletteName, type Place,
  reversedRanges, type ZoneSettings,
} from "./settings.ts"; // prettier-ignore
import type {
  CloudPlanResult, CloudSpec, FileLink, PieceOf, PoseResult, ZoneResult, ZoneSpec,
} from "../../wire/messages.ts"; // prettier-ignore
import type { Work } from "../requests.ts";
import type { NoticeHost, PoseHost, RequestHost } from "../hosts.ts";
import { Task } from "../task.ts";

/** A plane through what is shown; only what is near it is drawn. */
export interface Section {
  axis: 0 | 1 | 2;
  /** [m] */
  at: number;
}

/** Changes that follow each other sooner than this are one question [ms]. */
const REST = 120;

export class Workspace {
  /** The frame it is about; null: the last. */
  frame: string | null = null;
  cloudSettings: CloudSettings = { ...CLOUD_DEFAULTS };
  zoneSettings: ZoneSettings = { ...ZONE_DEFAULTS };
  /** What a run would do. */
  plan: CloudPlanResult | null = null;
  cloud: Cloud | null = null;
  zone: ZoneResult | null = null;
  /** An even part of all points. */
  readonly points = new PointSet();
  /** More of them where one looks. */
  readonly detail: Detail;
  readonly bodies: Bodies;
  palette: PaletteName = "safe";
  /** Groups (links, modes) that are not drawn. */
  hidden: ReadonlySet<number> = new Set();
  visible = true;
  section: Section | null = null;
  /** Whether a click on a point takes the mechanism there. */
  goes = true;
  /** The point that was clicked last. */
  marked: { at: Place; group: number } | null = null;
  /** How much of what was asked for is there, 0 … 1: less than 1 where it was stopped. */
  done = 1;
  /** Numbers or settings have changed since. */
  stale = false;
  /** From the question to the first points [ms]. */
  firstPoints: number | null = null;
  readonly task: Task;

  private readonly planning: Task;
  private readonly moving: Task;
  private rest: ReturnType<typeof setTimeout> | undefined;
  /** When the points were asked for [ms]. */
  private begun = 0;
  /** With what the points on show were asked for. */
  private askedCloud: CloudSpec = {};
  private askedZone: ZoneSpec = {};
  /** @internal */
  readonly changed = (): void => this.studio.emit("workspace", this);

  constructor(
    /** @internal */
    readonly studio: PoseHost & NoticeHost & RequestHost,
  ) {
    this.task = new Task(studio, this.changed);
    this.planning = new Task(studio, this.changed);
    this.moving = new Task(studio, this.changed);
    this.detail = new Detail(this);
    this.bodies = new Bodies(this);
    studio.on("model", () => this.forget());
    studio.on("numbers", () => this.grewOld());
  }

  /** Mechanisms with loops have zones; trees have clouds. */
  get kind(): "cloud" | "zone" {
    return this.studio.model?.needsZone ? "zone" : "cloud";
  }
  get result(): Cloud | ZoneResult | null {
    return this.kind === "cloud" ? this.cloud : this.zone;
  }
  /** Names of what is distinguished by colour. */
  get groups(): readonly string[] {
    return this.cloud?.frames ?? this.zone?.modes.map((mode) => mode.name) ?? [];
  }
  /** What points are coloured by, and its ends; null where colours distinguish groups. */
  get scale(): { layer: string; ends: [number, number] | null } | null {
    const { layer, ends } = this.cloud ?? this.zone ?? { layer: null, ends: null };
    return layer === null || layer === "link" ? null : { layer, ends };
  }
  /** Box around all points [m]; null without any. */
  get bounds(): [Place, Place] | null {
    if (this.zone) return this.zone.bounds;
    const boxes = this.cloud?.bounds ?? [];
    if (!boxes.length) return null;
    const ends = [0, 1].map((side) =>
      [0, 1, 2].map((i) =>
        (side ? Math.max : Math.min)(...boxes.map((box) => box[side as 0 | 1][i])),
      ),
    );
    return ends as [Place, Place];
  }
  /** Joints whose range ends before it begins: with them nothing is asked. */
  get reversed(): string[] {
    return this.kind === "cloud" ? reversedRanges(this.cloudSettings) : [];
  }
  /** Why a run would not work; null when nothing is known against it. */
  get planError(): string | null {
    return this.planning.error;
  }

  set(
    change: Partial<Pick<Workspace, "frame" | "palette" | "visible" | "section" | "goes">>,
  ): void {
    const isOther = change.frame !== undefined && change.frame !== this.frame;
    Object.assign(this, change);
    if (isOther) {
      this.grewOld();
      this.lookAhead();
    }
    this.changed();
  }
  setCloudSettings(change: Partial<CloudSettings>): void {
    this.cloudSettings = { ...this.cloudSettings, ...change };
    this.grewOld();
    this.lookAhead();
    this.changed();
  }
  setZoneSettings(change: Partial<ZoneSettings>): void {
    this.zoneSettings = { ...this.zoneSettings, ...change };
    this.grewOld();
    this.changed();
  }
  hide(group: number, isHidden: boolean): void {
    const next = new Set(this.hidden);
    if (isHidden) next.add(group);
    else next.delete(group);
    this.hidden = next;
    this.changed();
  }

  /** Asks, soon, what a run would do. */
  lookAhead(): void {
    clearTimeout(this.rest);
    if (this.kind !== "cloud" || this.studio.model === null) return;
    if (this.reversed.length) return this.planning.clear();
    this.rest = setTimeout(() => {
      const work = () => this.studio.ask("cloud_plan", { cloud: this.cloudSpec() });
      void this.planning.run(work).then((plan) => {
        // the plan before stays, so that what was wrong can be corrected
        if (plan === null) return;
        this.plan = plan;
        this.changed();
      });
    }, REST);
  }

  /** Makes the cloud or zone that is asked for. */
  async run(): Promise<void> {
    if (this.reversed.length) return;
    // who asks for it wants to see it
    this.visible = true;
    this.begun = performance.now();
    this.firstPoints = null;
    this.stale = false;
    const isThere = await (this.kind === "cloud" ? this.runCloud() : this.runZone());
    if (!isThere) return;
    this.done = 1;
    this.changed();
  }

  /** Whether the cloud could be made. */
  private async runCloud(): Promise<boolean> {
    const cloud = { ...this.cloudSpec(), home: Array.from(this.studio.q) };
    const take = this.taker<PieceOf<"cloud">>(({ head, ...piece }) => {
      if (head.kind === "begin") {
        this.cloud = { ...head.plan, shown: head.shown, bounds: [], ends: null };
        this.begin(head.shown);
        // values are those of the pose: one point of each is enough
        if (head.plan.layer !== "link")
          this.hidden = new Set(this.groups.slice(1).map((_, i) => i));
        return;
      }
      if (head.kind === "points") this.add({ head, ...piece });
      else if (head.kind === "values") this.points.setValues({ head, ...piece });
      if (this.cloud && head.kind !== "progress") this.cloud = { ...this.cloud, ends: head.ends };
      if (head.kind === "values") return;
      if (this.cloud) this.cloud = { ...this.cloud, seconds: head.seconds };
      this.task.share = this.done = head.share;
    });
    this.askedCloud = cloud;
    const found = await this.task.run(() => this.studio.ask("cloud", { cloud }, take));
    if (found === null) return false;
    const { plan, ...rest } = found;
    this.cloud = { ...plan, ...rest };
    return true;
  }

  /** Whether the zone could be made. */
  private async runZone(): Promise<boolean> {
    const zone = { ...this.zoneSpec(), home: Array.from(this.studio.q) };
    const take = this.taker<PieceOf<"zone">>(({ head, ...piece }) => {
      if (head.kind === "points") return this.add({ head, ...piece });
      this.zone = head.zone;
      this.begin(head.shown);
    });
    this.askedZone = zone;
    const found = await this.task.run(() => this.studio.ask("zone", { zone }, take));
    if (found === null) return false;
    this.zone = found;
    return true;
  }

  /** Takes pieces; with the first of them, what was there goes. */
  private taker<Head>(take: (piece: Piece<Head>) => void): (piece: Piece<Head>) => void {
    let isFirst = true;
    return (piece) => {
      if (isFirst) this.clear();
      if (isFirst) this.done = 0;
      isFirst = false;
      take(piece);
      this.changed();
    };
  }
  private begin(shown: number): void {
    this.points.begin(shown, this.groups.length);
  }
  private add(piece: PointsPiece): void {
    this.points.add(piece);
    this.firstPoints ??= performance.now() - this.begun;
  }

  /** Takes the mechanism to the pose that made a point. */
  async goTo(index: number, set: PointSet = this.points): Promise<void> {
    const { pose, group } = poseOf(set.tags[index], set.groupCount);
    const at = Array.from(set.xyz.subarray(3 * index, 3 * index + 3)) as Place;
    const found = await this.moving.run(() => this.askPose(pose));
    if (!found) {
      if (this.moving.error) this.studio.notice("warning", this.moving.error);
      return;
    }
    this.marked = { at, group };
    const q = Float64Array.from(found.q);
    const label = "Go to a point of the workspace";
    if (!this.studio.moveTo(q, label)) {
      // no way there with the loops closed: it is taken apart and put together again
      this.studio.setPose(q, "set");
      this.studio.commitPose(label);
    }
    this.changed();
  }

  /** Poses of a mode of the zone, neighbours after each other; null where that failed. */
  async way(mode: string): Promise<Float64Array[] | null> {
    const zone = this.askedZone;
    const found = await this.moving.run(() => this.studio.ask("zone_way", { zone, mode }));
    if (this.moving.error) this.studio.notice("warning", this.moving.error);
    return found && found.qs.map((q) => Float64Array.from(q));
  }

  /** All points as a file. */
  file(format: "csv" | "npz" | "ply"): Work<FileLink> {
    const { palette, askedCloud: cloud, askedZone: zone } = this;
    return this.kind === "cloud"
      ? this.studio.ask("cloud_file", { cloud, format, palette })
      : this.studio.ask("zone_file", { zone, format });
  }

  /** @internal With what the points on show were asked for. */
  get shownCloud(): CloudSpec {
    return this.askedCloud;
  }
  /** @internal The same points as those on show, while they match the settings. */
  get presentCloud(): CloudSpec {
    return this.stale || !this.cloud ? this.cloudSpec() : this.askedCloud;
  }
  /** @internal */
  get presentZone(): ZoneSpec {
    return this.stale || !this.zone ? this.zoneSpec() : this.askedZone;
  }

  /** Takes everything out of the view. */
  clear(): void {
    this.cloud = this.zone = this.marked = null;
    this.done = 1;
    this.hidden = new Set();
    this.section = null;
    this.points.clear();
    this.detail.stop();
    this.changed();
  }

  private askPose(pose: number): Work<PoseResult> {
    return this.kind === "cloud"
      ? this.studio.ask("cloud_pose", { cloud: this.askedCloud, pose })
      : this.studio.ask("zone_pose", { zone: this.askedZone, point: pose });
  }
  private cloudSpec(): CloudSpec {
    const { how, factor, count, frames, ranges, layer } = this.cloudSettings;
    return {
      frame: this.frame,
      frames,
      ranges,
      layer,
      how,
      factor: how === "spread" ? null : factor,
      count: how === "grid" || (how === null && factor !== null) ? null : count,
    };
  }
  private zoneSpec(): ZoneSpec {
    const { kind, step, all } = this.zoneSettings;
    const modes = all && kind !== "place" ? ["all"] : null;
    const { layer } = this.cloudSettings;
    // points of a zone are coloured by mode where those of a cloud are by link
    return { frame: this.frame, kind, step, modes, layer: layer === "link" ? null : layer };
  }

  private grewOld(): void {
    if (this.result === null && !this.task.busy) return;
    this.stale = true;
    this.bodies.grewOld();
    this.changed();
  }

  private forget(): void {
    this.task.clear();
    this.planning.clear();
    this.moving.clear();
    this.bodies.forget();
    this.cloudSettings = { ...CLOUD_DEFAULTS };
    this.zoneSettings = { ...ZONE_DEFAULTS };
    this.plan = this.frame = null;
    this.stale = false;
    this.clear();
  }
}
