// The singularity monitor: how near singular poses are, phantoms of what lies beyond, crossing.
import type { Vec3 } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import {
  type Aim,
  canWatch,
  type Distances,
  type Outlook,
} from "../../kernel/singular/singular.ts";
import type { SingularFinder } from "../../kernel/singular/finder.ts";
import { applyPose, minus, poseAt } from "../../kernel/spatial.ts";
import { straightWay } from "../motion/animation.ts";
import { farthest } from "../motion/timed-path.ts";
import type { ChoiceHost, DragHost, NoticeHost, PoseHost, RequestHost } from "../hosts.ts";
import type { Gauges, Ghost } from "../types.ts";

/** Gauges show shares of the largest distance seen, which counts as no less than this: mechanisms
 * differ, and a delta robot's motors never hold as well as a five-bar's. */
const FAR = 0.05;
/** Phantoms appear below this share, and go away above twice of it. */
const NEAR = 0.2;
/** Time between two looks at the gauges [s]. */
const LOOK = 0.05;
/** While it is dragged on, what lies beyond is looked for again after so much [rad, sizes]. */
const MOVED_ON = 0.15;
/** Time between two searches for what lies beyond: they cost some milliseconds [s]. */
const SEARCH = 0.4;

export class SingularityMonitor {
  gauges: Gauges | null = null;
  ghosts: readonly Ghost[] = [];
  /** What lies beyond the singular pose that is near; null when none is. */
  outlook: Outlook | null = null;

  private site = -1;
  private lookedAt = -Infinity;
  private searchedAt = -Infinity;
  private isStale = true;
  private isBusy = false;
  /** Where the mechanism stood when the phantoms were found. */
  private shownAt: Float64Array | null = null;
  private largest = { task: FAR, gain: FAR };

  constructor(
    private readonly studio: PoseHost & DragHost & ChoiceHost & NoticeHost & RequestHost,
    private readonly finder: SingularFinder,
  ) {
    const reset = (): void => this.reset();
    studio.on("model", reset);
    studio.on("numbers", reset);
    studio.on("pose", () => (this.isStale = true));
    studio.on("selection", () => (this.isStale = true));
    studio.on("settings", (settings) => {
      if (!settings.phantoms) this.dismiss();
    });
  }

  /** Looks at the gauges again, if something has changed; called once per frame, never waits. */
  watch(now: number): void {
    const { model } = this.studio;
    if (!this.isStale || this.isBusy || model === null || !canWatch(model)) return;
    if (now - this.lookedAt < LOOK && now >= this.lookedAt) return;
    this.lookedAt = now;
    this.isStale = false;
    void this.run(model, () => this.measure(model, now));
  }

  /** Looks for the singular pose ahead (or nearby) and shows what lies beyond; false: none. */
  async look(kind: "task" | "gain" | null = null): Promise<boolean> {
    const { model, q } = this.studio;
    if (model === null || !canWatch(model)) return false;
    const aim = this.aim(model);
    const outlook = await this.finder.outlook(model, q, aim, this.direction(aim), kind);
    if (outlook === null || model !== this.studio.model || this.studio.isAnimating) return false;
    this.show(outlook);
    this.shownAt = q;
    return true;
  }

  /** The same by the studio, which takes longer; for kernels that cannot. */
  async ask(frame: string, kind: "task" | "gain" | null = null): Promise<void> {
    const { model } = this.studio;
    const asked = { frame, singularity: kind };
    const found = await this.studio.ask("branches_beyond", asked).promise;
    if (model !== this.studio.model) return;
    this.shownAt = null;
    this.show({
      kind: found.kind,
      isMeeting: found.branch_point,
      q: Float64Array.from(found.q),
      branches: found.branches.map((branch) => ({
        name: branch.name,
        crosses: branch.crosses,
        q: Float64Array.from(branch.q),
        path: branch.path.map((pose) => Float64Array.from(pose)),
      })),
    });
  }

  /** Goes across to a branch at bounded speed; false when there is no way from here. */
  cross(branch: number): boolean {
    const { studio, outlook } = this;
    const { model, q } = studio;
    const chosen = outlook?.branches[branch];
    if (model === null || chosen === undefined || studio.readOnly) return false;
    // the mechanism may have moved since: join the way where it is nearest
    const half = Math.ceil(chosen.path.length / 2);
    let join = 0;
    let least = Infinity;
    chosen.path.slice(0, half).forEach((pose, i) => {
      const away = farthest(model, q, pose);
      if (away < least) {
        least = away;
        join = i;
      }
    });
    const lead = least < 1e-9 ? [q] : straightWay(model, q, chosen.path[join]);
    // or it has been dragged across meanwhile: then the phantom may be on this branch
    const way =
      lead === null ? straightWay(model, q, chosen.q) : [...lead, ...chosen.path.slice(join + 1)];
    if (way === null) {
      studio.notice("warning", "the mechanism has moved: move near the singular pose again");
      this.dismiss();
      return false;
    }
    this.dismiss();
    studio.follow(way, "cross", `Cross: ${chosen.name}`);
    return true;
  }

  /** Takes the phantoms away. */
  dismiss(): void {
    this.outlook = this.shownAt = null;
    if (this.ghosts.length === 0) return;
    this.ghosts = [];
    this.studio.emit("ghosts", this.ghosts);
  }

  private show(outlook: Outlook): void {
    this.outlook = outlook;
    this.ghosts = [
      { q: outlook.q, label: singularWords(outlook), branch: null },
      ...outlook.branches.map((branch, i) => ({ q: branch.q, label: branch.name, branch: i })),
    ];
    this.studio.emit("ghosts", this.ghosts);
  }

  private reset(): void {
    this.isStale = true;
    this.largest = { task: FAR, gain: FAR };
    this.dismiss();
  }

  private async run(model: PageModel, work: () => Promise<void>): Promise<void> {
    this.isBusy = true;
    try {
      await work();
    } finally {
      this.isBusy = false;
      if (model !== this.studio.model) this.isStale = true;
      // it has moved on meanwhile
      if (this.isStale) this.studio.emit("stir", null);
    }
  }

  private async measure(model: PageModel, now: number): Promise<void> {
    const { studio } = this;
    const aim = this.aim(model);
    const found = await this.finder.measure(model, studio.q, aim);
    if (model !== studio.model) return;
    // another site has other distances
    if (aim.site !== this.site) this.largest.task = FAR;
    this.site = aim.site;
    this.setGauges(found);
    const { task, gain } = this.gauges ?? { task: null, gain: null };
    const nearest = Math.min(task ?? Infinity, gain ?? Infinity);
    if (nearest > 2 * NEAR && !studio.isAnimating) this.dismiss();
    const isWanted = studio.settings.phantoms && studio.grabs.length > 0 && !this.isCurrent(model);
    if (nearest < NEAR && isWanted && now - this.searchedAt > SEARCH) {
      this.searchedAt = now;
      await this.look(nearest === task ? "task" : "gain");
    }
  }

  /** Whether phantoms are shown that were found near the present pose. */
  private isCurrent(model: PageModel): boolean {
    if (this.outlook === null) return false;
    return this.shownAt === null || farthest(model, this.shownAt, this.studio.q) < MOVED_ON;
  }

  /** What is watched: what is grabbed, else what is selected, else the last frame. */
  private aim(model: PageModel): Aim {
    const [grab] = this.studio.grabs;
    if (grab !== undefined) {
      const { site, kind, point } = grab.spec;
      return { site, kind: kind === "direction" ? "point" : kind, point };
    }
    const { selection } = this.studio;
    if (selection?.kind === "frame") return { site: model.linkCount + selection.index };
    if (selection?.kind === "link" && selection.index > 0) return { site: selection.index };
    return { site: model.siteCount - 1 };
  }

  /** Where the grabbed point is pulled to from where it is; null when it is there. */
  private direction(aim: Aim): Vec3 | null {
    const [grab] = this.studio.grabs;
    if (grab?.spec.position === undefined || grab.spec.kind === "rotation") return null;
    const at = applyPose(poseAt(this.studio.poses, aim.site), aim.point ?? [0, 0, 0]);
    const way = minus(grab.spec.position, at);
    return Math.hypot(...way) > 1e-6 * (this.studio.model?.size ?? 1) ? way : null;
  }

  private share(kind: "task" | "gain", distance: number): number | null {
    if (!Number.isFinite(distance)) return null;
    this.largest[kind] = Math.max(this.largest[kind], distance);
    return distance / this.largest[kind];
  }

  private setGauges(found: Distances | null): void {
    if (found === null) this.gauges = null;
    else {
      const task = this.share("task", found.task);
      const gain = this.share("gain", found.gain);
      const isNear = [task !== null && task < NEAR, gain !== null && gain < NEAR];
      const near = isNear[0] ? (isNear[1] ? "both" : "task") : isNear[1] ? "gain" : "none";
      this.gauges = { task, gain, near };
    }
    this.studio.emit("gauges", this.gauges);
  }
}

function singularWords({ kind, isMeeting }: Outlook): string {
  const what =
    kind === "gain"
      ? "here the motors lose control"
      : kind === "both"
        ? "here it cannot move in one direction, and the motors lose control"
        : "here it cannot move in one direction";
  return isMeeting ? `${what}; several branches meet` : what;
}
