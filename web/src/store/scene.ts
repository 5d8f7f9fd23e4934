// Things around the mechanism: where they are now, which are carried along, and how to take one.
import {
  applyPose,
  applyPoseBack,
  conjugate,
  multiply,
  poseAt,
  quatOf,
} from "../kernel/spatial.ts";
import type { GraspRequest, GraspResult, ObjectData, Snapshot } from "../wire/messages.ts";
import { placement } from "./placement.ts";
import type { ChoiceHost, NoticeHost, PoseHost, RequestHost } from "./hosts.ts";

/** Quaternion wxyz, then xyz [m]. */
export type Pose = ArrayLike<number>;

/** An object that a site holds. */
export interface Carried {
  object: string;
  site: string;
  /** In the site's frame. */
  relative: readonly number[];
}

/** A plan that waits for a yes. */
export interface Proposal {
  object: string;
  plan: GraspResult;
  path: Float64Array[];
}

const graspLabel = (object: string): string => `Grasp ${object}`;
const releaseLabel = (object: string): string => `Release ${object}`;

export class Scene {
  proposal: Proposal | null = null;
  /** Where objects are that are not where the file says. */
  private readonly moved = new Map<string, readonly number[]>();
  private readonly held = new Map<string, Carried>();
  /** How each object was held last, for undo and redo. */
  private readonly memory = new Map<string, Carried>();
  private mechanism: string | null = null;

  constructor(private readonly studio: PoseHost & ChoiceHost & NoticeHost & RequestHost) {
    studio.on("pose", () => this.follow());
    studio.on("snapshot", (snapshot) => this.took(snapshot));
  }

  get objects(): readonly ObjectData[] {
    return this.studio.snapshot?.objects ?? [];
  }

  get carried(): readonly Carried[] {
    return [...this.held.values()];
  }

  isCarried(object: string): boolean {
    return this.held.has(object);
  }

  /** Where an object is now; null when there is no such. */
  pose(object: string): Pose | null {
    const stored = this.objects.find((one) => one.name === object)?.pose ?? null;
    return stored && (this.moved.get(object) ?? stored);
  }

  /** Moves an object here; `place` writes it into the text. */
  move(object: string, pose: Pose): void {
    if (this.pose(object) === null || this.isCarried(object)) return;
    this.moved.set(object, Array.from(pose));
    this.proposal = null;
    this.changed();
  }

  /** Writes where an object is into the text, as one step of undo. */
  async place(object: string, label = `Move ${object}`): Promise<void> {
    const pose = this.pose(object);
    if (pose === null) return;
    const edit = { name: object, keys: { at: placement(pose) }, label };
    try {
      await this.studio.editStructure("update_object", edit);
    } catch (error) {
      this.moved.delete(object);
      this.changed();
      throw error;
    }
  }

  /** From now on an object moves with a site. */
  carry(object: string, site: string): void {
    const { model, poses } = this.studio;
    const at = model?.site(site) ?? -1;
    const pose = this.pose(object);
    if (at < 0 || pose === null) return;
    const own = poseAt(poses, at);
    const quat = multiply(conjugate(quatOf(own)), quatOf(pose));
    const place = applyPoseBack(own, [pose[4], pose[5], pose[6]]);
    this.hold({ object, site, relative: [...quat, ...place] });
    this.changed();
  }

  /** Lets go of an object: it stays where it is, which the text then says. */
  async release(object: string): Promise<void> {
    if (!this.held.delete(object)) return;
    this.changed();
    await this.place(object, releaseLabel(object));
  }

  // Taking

  /** Asks the studio for a short way of a tool to an object. */
  propose(object: string, frame: string | null): { promise: Promise<Proposal>; cancel(): void } {
    const now = this.pose(object);
    const pose = now && (Array.from(now) as GraspRequest["pose"]);
    const avoid = this.studio.settings.avoidCollisions;
    const work = this.studio.ask("grasp", { object, frame, pose, avoid });
    const promise = work.promise.then((plan) => {
      const path = [this.studio.q.slice(), ...plan.path.map((q) => Float64Array.from(q))];
      this.proposal = { object, plan, path };
      this.changed();
      return this.proposal;
    });
    return { promise, cancel: work.cancel };
  }

  /** Goes the proposed way at bounded speed; at its end the tool holds the object. */
  accept(): void {
    const { proposal, studio } = this;
    this.dismiss();
    if (proposal === null || studio.refuseIfWatching()) return;
    const { object, plan, path } = proposal;
    if (plan.reached)
      studio.follow(path, "set", graspLabel(object), () => this.carry(object, plan.frame));
    else studio.follow(path, "set", `Approach ${object}`);
  }

  dismiss(): void {
    if (this.proposal === null) return;
    this.proposal = null;
    this.changed();
  }

  // Inside

  private hold(carried: Carried): void {
    this.held.set(carried.object, carried);
    this.memory.set(carried.object, carried);
  }

  /** Brings what is carried to where its site is. */
  private follow(): void {
    const { model, poses } = this.studio;
    if (model === null || (this.proposal === null && this.held.size === 0)) return;
    // a plan begins where the mechanism was: once that moves, it is worth nothing
    this.proposal = null;
    for (const { object, site, relative } of this.carried) {
      const at = model.site(site);
      if (at < 0) continue;
      const own = poseAt(poses, at);
      const quat = multiply(quatOf(own), quatOf(relative));
      const place = applyPose(own, [relative[4], relative[5], relative[6]]);
      this.moved.set(object, [...quat, ...place]);
    }
    this.changed();
  }

  private took({ model, objects, undo, redo }: Snapshot): void {
    if (model.name !== this.mechanism) {
      this.mechanism = model.name;
      for (const map of [this.moved, this.held, this.memory]) map.clear();
    }
    // steps of undo that took or let go of something do so again
    for (const [object, carried] of this.memory) {
      if (redo === graspLabel(object) || undo === releaseLabel(object)) this.held.delete(object);
      else if (undo === graspLabel(object) || redo === releaseLabel(object)) this.hold(carried);
    }
    const known = new Set(objects.map((one) => one.name));
    for (const [object, { site }] of this.held)
      if (!known.has(object) || (this.studio.model?.site(site) ?? -1) < 0) this.held.delete(object);
    this.moved.clear();
    if (!known.has(this.proposal?.object ?? "")) this.proposal = null;
    if (this.held.size > 0) this.follow();
    else this.changed();
  }

  private changed(): void {
    this.studio.emit("objects", this);
  }
}
