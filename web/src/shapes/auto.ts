// Automatic shapes: bars and joint bodies of every link, from its Kleinfinger numbers alone.
// Twin of src/kinegen/mechanism/shapes/auto.py.
import * as proportion from "./proportions.ts";
import { traitsOf } from "../kernel/tables/joint-types.ts";
import type { Cylinder, Look, Primitive, Role, ShapeModel, Travels } from "./data.ts";
import { hasMotor } from "./data.ts";
import { FlatShapes } from "./flat.ts";
import {
  type JointLook,
  type LinkLook,
  housingLength,
  housingRadius,
  jointBodies,
} from "./joint.ts";
import {
  type Attachment,
  type Skeleton,
  groundLinks,
  ownAxis,
  readSkeleton,
  standing,
} from "./skeleton.ts";
import {
  capsuleBetween,
  cylinderBetween,
  elbowPath,
  moved,
  plateAround,
  rotationWithZ,
} from "./solid.ts";
import {
  type Vec3,
  IDENTITY,
  add,
  along,
  apply,
  applyInverse,
  distance,
  dot,
  length,
  mean,
  principalAxes,
  scaled,
  subtract,
  unit,
} from "./vectors.ts";

/** Radius of the strongest bar, as a part of the typical distance between joints. */
const UP: Vec3 = [0, 0, 1];
const GROUND: Look = { role: "ground", branch: 0, tone: 0, color: null };

/** Primitives of every link, in its frame, as if no shape were given in the file. */
export function autoShapes(model: ShapeModel, travels: Travels): Primitive[][] {
  const skeleton = readSkeleton(model, travels);
  if (skeleton.plane) return new FlatShapes(model, skeleton, skeleton.plane).build();
  return new SpatialShapes(model, skeleton).build();
}

/** Builder for mechanisms that move in space. */
class SpatialShapes {
  private readonly shapes: Primitive[][];
  private readonly radius: number[];
  private readonly explicit = new Set<number>();
  private readonly shift = new Map<number, number>();
  private readonly stands: Stand[] = [];

  constructor(
    private readonly model: ShapeModel,
    private readonly skeleton: Skeleton,
  ) {
    this.shapes = model.data.links.map(() => []);
    const radius = proportion.BAR_RADIUS * skeleton.unit;
    this.radius = skeleton.weight.map(
      (weight) => radius * (proportion.LIGHT_BAR + proportion.HEAVY_BAR * weight),
    );
    model.data.link_shapes.forEach((spec, link) => {
      if (spec !== "auto" && spec !== null) this.explicit.add(link);
    });
    this.findShifts();
  }

  build(): Primitive[][] {
    const grounds = groundLinks(this.skeleton);
    for (const link of grounds) this.base(link);
    this.level();
    for (const link of this.skeleton.order) if (!grounds.includes(link)) this.bars(link);
    this.skeleton.attachments.forEach((own, link) => {
      for (const a of own) if (a.kind !== "frame") this.joint(link, a);
    });
    return this.shapes;
  }

  private linkLook(link: number): LinkLook {
    return { branch: this.skeleton.branch[link], tone: this.skeleton.tone[link] };
  }

  private look(link: number, role: Role): Look {
    return { role, color: null, ...this.linkLook(link) };
  }

  private jointLook(index: number): JointLook {
    const { parent, child } = this.model.data.joints[index];
    // A joint is as strong as the lighter of its two links, the base not counted.
    const sides = [parent, child].filter((link) => link !== 0).map((link) => this.radius[link]);
    return {
      radius: sides.length ? Math.min(...sides) : this.radius[0],
      hasMotor: hasMotor(this.model, index),
      travel: this.skeleton.travels.get(index) ?? 0,
      hasRail: parent === 0,
      parent: this.linkLook(parent),
      child: this.linkLook(child),
    };
  }

  /** Middle of the body at an attachment, in the link's frame. */
  private anchor(a: Attachment): Vec3 {
    const shift = a.kind === "joint" ? (this.shift.get(a.joint) ?? 0) : 0;
    return along(a.p_LA, a.z_LA, shift);
  }

  /** Middle of the body of the joint that carries the link, in the link's frame. */
  private ownAnchor(link: number): Vec3 {
    return [0, 0, this.shift.get(this.skeleton.inboard[link]) ?? 0];
  }

  // Joint bodies.

  private joint(link: number, a: Attachment): void {
    const joint = this.model.data.joints[a.joint];
    let [onParent, onChild] = jointBodies(joint.type, this.jointLook(a.joint));
    if (a.kind === "closure") {
      for (const shape of onChild) this.shapes[link].push(moved(shape, a.R_LA, a.p_LA));
      return;
    }
    if (this.explicit.has(link) && this.turns(a.joint) && !joint.is_cut) {
      // The parent has shapes of its own from the file; a housing is round and may turn.
      [onParent, onChild] = [[], [...onParent, ...onChild]];
    }
    for (const shape of onParent) this.shapes[link].push(moved(shape, a.R_LA, this.anchor(a)));
    if (joint.is_cut) return;
    const own = this.ownAnchor(joint.child);
    for (const shape of onChild) this.shapes[joint.child].push(moved(shape, IDENTITY, own));
  }

  /** How far each revolute body is moved along its own axis, where several would coincide. */
  private findShifts(): void {
    for (const link of this.skeleton.order) {
      for (const a of this.skeleton.attachments[link]) {
        if (a.kind !== "joint" || this.meetsBefore(link, a)) continue;
        const run = this.run(a.joint);
        if (run.length > 1) this.spread(run, link, a);
      }
    }
  }

  private near(p: Vec3): boolean {
    return length(p) < proportion.ON_GROUND * this.radius[0];
  }

  private meetsBefore(link: number, a: Attachment): boolean {
    const inboard = this.skeleton.inboard[link];
    return inboard >= 0 && this.near(a.p_LA) && this.turns(inboard);
  }

  private turns(index: number): boolean {
    return traitsOf(this.model.data.joints[index].type).isHinge;
  }

  /** Revolute joints that follow each other in one point, from the given one on. */
  private run(index: number): number[] {
    const { joints } = this.model.data;
    const run = this.turns(index) && !joints[index].is_cut ? [index] : [];
    while (run.length) {
      const last = joints[run[run.length - 1]].child;
      const next = this.skeleton.attachments[last].find(
        (a) => a.kind === "joint" && this.near(a.p_LA) && this.turns(a.joint),
      );
      if (!next || joints[next.joint].is_cut) break;
      run.push(next.joint);
    }
    return run;
  }

  private spread(run: number[], link: number, a: Attachment): void {
    const [first, last] = [run[0], run[run.length - 1]];
    const step = this.step(first, run[1]);
    const ahead = dot(a.p_LA, a.z_LA);
    if (this.skeleton.inboard[link] < 0 && Math.abs(ahead) < step) this.shift.set(first, -step);
    else if (Math.abs(ahead) > proportion.HOUSING_OVERLAP * step)
      this.shift.set(first, -Math.sign(ahead) * Math.min(step, Math.abs(ahead)));
    if (run.length === 2 && this.shift.has(first)) return;
    const end = this.step(last, run[run.length - 2]);
    const own = this.skeleton.attachments[this.model.data.joints[last].child];
    const farthest = own.reduce(
      (far, b) => (Math.abs(b.p_LA[2]) > Math.abs(far) ? b.p_LA[2] : far),
      0,
    );
    if (!own.length || Math.abs(farthest) > proportion.TOOL_STEP * end)
      this.shift.set(last, farthest < 0 ? -end : end);
  }

  private step(joint: number, beside: number): number {
    return 0.5 * housingLength(this.jointLook(joint)) + housingRadius(this.jointLook(beside));
  }

  // Bars.

  private bars(link: number): void {
    const own = this.skeleton.attachments[link];
    const radius = this.radius[link];
    let start = this.ownAnchor(link);
    const carried = this.model.data.joints[this.skeleton.inboard[link]];
    const solid = own.filter((a) => a.kind !== "frame");
    const points = solid.map((a) => this.anchor(a));
    if (!traitsOf(carried.type).floats) points.push(start);
    const normal = plateNormal(points, proportion.LEAST_PLATE * radius);
    if (normal) {
      const look = this.look(link, "bar");
      this.shapes[link].push(
        plateAround(
          points,
          normal,
          proportion.PLATE_MARGIN * radius,
          proportion.PLATE_THICKNESS * radius,
          look,
        ),
      );
    } else {
      for (const a of solid) this.bar(link, start, a, radius, "bar");
    }
    for (const a of own) {
      if (a.kind !== "frame") continue;
      // A frame over a plate stands on the plate, not on one of its corners.
      if (normal) start = along(a.p_LA, normal, -dot(subtract(a.p_LA, points[0]), normal));
      this.bar(link, start, a, proportion.TOOL_BAR * radius, "tool");
    }
    if (!own.length && traitsOf(carried.type).isHinge) this.flange(link);
  }

  private bar(link: number, start: Vec3, a: Attachment, radius: number, role: Role): void {
    const end = this.anchor(a);
    if (distance(end, start) < proportion.SHORTEST_BAR * radius) return;
    const zOwn = ownAxis(this.model, this.skeleton, link) ? UP : null;
    const zEnd = a.hasAxis ? a.z_LA : null;
    const path = elbowPath(start, zOwn, end, zEnd, radius);
    const look = this.look(link, role);
    const legs = path.length - 1;
    for (let i = 0; i < legs; i++) {
      const [one, other] = [path[i], path[i + 1]];
      const way = unit(subtract(other, one));
      const short = distance(one, other) <= proportion.SHORT_PIECE * this.skeleton.unit;
      const first = short && i === 0 && legs > 1;
      const last = short && i === legs - 1 && legs > 1;
      if (first && zOwn && Math.abs(dot(way, zOwn)) > proportion.ALONG_AXIS)
        this.shapes[link].push(hub(one, other, radius, look));
      else if (last && zEnd && Math.abs(dot(way, zEnd)) > proportion.ALONG_AXIS)
        this.shapes[link].push(hub(other, one, radius, look));
      else this.shapes[link].push(capsuleBetween(one, other, radius, look));
    }
  }

  /** A plate on the last joint of a limb, where a tool would be screwed on. */
  private flange(link: number): void {
    const look = this.jointLook(this.skeleton.inboard[link]);
    const height =
      this.ownAnchor(link)[2] + 0.5 * housingLength(look) + proportion.FLANGE_HEIGHT * look.radius;
    this.shapes[link].push({
      kind: "cylinder",
      radius: proportion.FLANGE_RADIUS * look.radius,
      length: proportion.FLANGE_LENGTH * look.radius,
      rotation: IDENTITY,
      translation: [0, 0, height],
      ...this.look(link, "tool"),
    });
  }

  // The base.

  /** What the robots of a ground link stand on: each has its own. */
  private base(link: number): void {
    const { joints } = this.model.data;
    const groups = standing(this.model, this.skeleton, link)
      .map((own) => own.filter((a) => !traitsOf(joints[a.joint].type).slidesAcross))
      .filter((own) => own.length);
    for (const own of groups) this.stand(link, own, groups.length > 1);
  }

  private stand(link: number, own: Attachment[], oneOfMany: boolean): void {
    let points = own.map((a) => this.anchor(a));
    const radius = this.radius[0];
    const normal = plateNormal(points, proportion.LEAST_PLATE * radius);
    if (normal) {
      const centre = mean(points);
      const sides = this.carried(link, own).map((p) => dot(subtract(p, centre), normal));
      const side = sides.reduce((sum, one) => sum + one, 0) / Math.max(1, sides.length);
      if (Math.abs(side) > proportion.PLATE_SIDE * this.skeleton.unit) {
        // The plate lies behind the joints, so that they stand on it, not in it.
        points = points.map((p) =>
          along(p, normal, -Math.sign(side) * proportion.PLATE_SHIFT * radius),
        );
      }
      this.shapes[link].push(
        plateAround(
          points,
          normal,
          proportion.GROUND_MARGIN * radius,
          proportion.PLATE_THICKNESS * radius,
          GROUND,
        ),
      );
      if (normal[2] > proportion.ALONG_AXIS && side > 0)
        this.stands.push({
          link,
          own,
          foot: along(mean(points), UP, -proportion.GROUND_FOOT * radius),
          radius,
        });
      return;
    }
    if (points.length === 1) {
      this.pedestal(link, own[0], points[0], oneOfMany);
      return;
    }
    for (let i = 0; i + 1 < points.length; i++) {
      if (distance(points[i], points[i + 1]) > proportion.SHORTEST_BAR * radius)
        this.shapes[link].push(capsuleBetween(points[i], points[i + 1], radius, GROUND));
    }
    own.forEach((a, i) => this.foot(link, a, points[i]));
  }

  /** Origins of the links that stand on joints of a ground link, in its frame. */
  private carried(link: number, own: Attachment[]): Vec3[] {
    const { robot, Rs_WL, ps_WL } = this.skeleton;
    const { joints } = this.model.data;
    const met = new Set(
      own.map((a) => robot[a.kind === "joint" ? joints[a.joint].child : joints[a.joint].parent]),
    );
    return ps_WL
      .filter((_, other) => other !== link && met.has(robot[other]))
      .map((p) => applyInverse(Rs_WL[link], subtract(p, ps_WL[link])));
  }

  /** Columns under what stands higher than the lowest, so that all stand on one floor. */
  private level(): void {
    const { Rs_WL, ps_WL } = this.skeleton;
    const upright = this.stands.filter(({ link, own, foot }) => {
      const heights = this.carried(link, own).map((p) => p[2]);
      return Rs_WL[link][8] > proportion.ALONG_AXIS && Math.max(...heights) >= foot[2];
    });
    const bottoms = upright.map(({ link, foot }) => add(ps_WL[link], apply(Rs_WL[link], foot))[2]);
    const lowest = Math.min(...bottoms);
    upright.forEach(({ link, foot, radius }, i) => {
      const gap = bottoms[i] - lowest;
      if (gap > proportion.STAND_GAP * this.skeleton.unit)
        this.shapes[link].push(cylinderBetween(along(foot, UP, -gap), foot, radius, GROUND));
    });
  }

  /** A column from the ground to the only joint that stands there. */
  private pedestal(link: number, a: Attachment, anchor: Vec3, oneOfMany: boolean): void {
    const outer = housingRadius(this.jointLook(a.joint));
    const sideways = Math.hypot(anchor[0], anchor[1]);
    if (
      anchor[2] > proportion.PEDESTAL_HEIGHT * outer &&
      (oneOfMany || sideways < proportion.PEDESTAL_OFFSET * this.skeleton.unit)
    ) {
      const foot: Vec3 = oneOfMany ? [anchor[0], anchor[1], 0] : [0, 0, 0];
      this.shapes[link].push(
        cylinderBetween(foot, anchor, proportion.PEDESTAL_RADIUS * outer, GROUND),
        cylinderBetween(
          foot,
          along(foot, UP, proportion.PEDESTAL_FOOT * outer),
          proportion.PEDESTAL_WIDTH * outer,
          GROUND,
        ),
      );
      this.stands.push({ link, own: [a], foot, radius: proportion.PEDESTAL_WIDTH * outer });
    } else {
      this.foot(link, a, anchor);
    }
  }

  /** A block under a joint of a ground link. */
  private foot(link: number, a: Attachment, anchor: Vec3): void {
    const { type } = this.model.data.joints[a.joint];
    const look = this.jointLook(a.joint);
    const [outer, size] = [housingRadius(look), housingLength(look)];
    if (traitsOf(type).isSlide || !traitsOf(type).moves) return;
    if (traitsOf(type).isHinge && Math.abs(a.z_LA[2]) > proportion.UPRIGHT_AXIS) {
      const top = along(anchor, UP, -(0.5 * size - proportion.DISC_OVERLAP * outer));
      const bottom = along(top, UP, -proportion.DISC_THICKNESS * outer);
      this.shapes[link].push(cylinderBetween(bottom, top, proportion.DISC_RADIUS * outer, GROUND));
      this.stands.push({ link, own: [a], foot: bottom, radius: proportion.DISC_RADIUS * outer });
      return;
    }
    const drop = proportion.BLOCK_HEIGHT * outer;
    const flat: Vec3 = a.hasAxis ? [a.z_LA[0], a.z_LA[1], 0] : [1, 0, 0];
    this.shapes[link].push({
      kind: "box",
      size: [proportion.BLOCK_LENGTH * size, proportion.BLOCK_WIDTH * outer, drop],
      rotation: length(flat) > 1e-6 ? rotationWithZ(UP, flat) : rotationWithZ(UP),
      translation: add(anchor, [0, 0, -drop / 2]),
      ...GROUND,
    });
    this.stands.push({ link, own: [a], foot: along(anchor, UP, -drop), radius: outer });
  }
}

/** What a robot stands on. */
interface Stand {
  link: number;
  /** The joints on it. */
  own: Attachment[];
  /** The middle of its lower side, in the link's frame [m]. */
  foot: Vec3;
  radius: number;
}

/** An offset along a joint's axis: a drum from the joint to where the bar meets it. */
function hub(joint: Vec3, corner: Vec3, radius: number, look: Look): Cylinder {
  const beyond = along(corner, unit(subtract(corner, joint)), proportion.SOCKET_EXCESS * radius);
  return cylinderBetween(joint, beyond, proportion.SOCKET_RADIUS * radius, look);
}

/** Normal of the plane through three or more points, null where a plate would look wrong. */
export function plateNormal(points: Vec3[], shortest: number): Vec3 | null {
  if (points.length < 3) return null;
  const centre = mean(points);
  const { spread, axes } = principalAxes(points.map((p) => subtract(p, centre)));
  if (
    spread[1] < proportion.NARROW_PLATE * shortest ||
    spread[2] > proportion.UNEVEN_PLATE * shortest
  )
    return null;
  const normal = axes[2].map((x) => Math.round(x * 1e9) / 1e9) as Vec3;
  // Of the two normals take the upper one, so that equal mechanisms look equal.
  const first = normal[2] || normal[1] || normal[0];
  return first < 0 ? scaled(normal, -1) : normal;
}
