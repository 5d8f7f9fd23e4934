// What the automatic shapes read out of a model: who sits where, how big, in which limb.
// Twin of src/kinegen/mechanism/shapes/skeleton.py.
import * as proportion from "./proportions.ts";
import { traitsOf } from "../kernel/tables/joint-types.ts";
import type { ShapeModel, Travels } from "./data.ts";
import {
  type Mat3,
  type Vec3,
  IDENTITY,
  add,
  along,
  apply,
  column,
  distance,
  dot,
  length,
  multiply,
  scaled,
} from "./vectors.ts";

/** A frame A fixed on a link L where something else begins. */
export interface Attachment {
  kind: "joint" | "closure" | "frame";
  R_LA: Mat3;
  p_LA: Vec3;
  z_LA: Vec3;
  /** Index of the joint for joints and closures, else -1. */
  joint: number;
  /** Whether z of A is an axis one sees. */
  hasAxis: boolean;
}

/** The plane in which every link of a flat mechanism moves. */
export interface Plane {
  /** Unit normal in the base frame. */
  normal: Vec3;
  /** Of the middle of the joints along the normal [m]. */
  height: number;
}

/** Lines and points of a mechanism, with every angle at zero. */
export interface Skeleton {
  /** Of every link, without its own inboard joint. */
  attachments: Attachment[][];
  /** Index of the tree joint that carries each link; -1 for the base. */
  inboard: number[];
  /** Links, parents first. */
  order: number[];
  /** Orientations with all angles at zero. */
  Rs_WL: Mat3[];
  /** Positions with all angles at zero and slides at their travel [m]. */
  ps_WL: Vec3[];
  /** Typical distance between attachments [m]: sizes are fractions of it. */
  unit: number;
  /** Of every link, 0..1: how much of the mechanism it carries; bars get thinner with it. */
  weight: number[];
  branch: number[];
  tone: number[];
  /** The robot that each link belongs to: links that joints connect without the base; -1 for it. */
  robot: number[];
  /** Fixed joints of the base that only say where one of several robots stands. */
  places: Set<number>;
  plane: Plane | null;
  travels: Travels;
}

/** Whether z of the link's frame is the visible axis of the joint that carries it. */
export const ownAxis = (model: ShapeModel, skeleton: Skeleton, link: number): boolean =>
  skeleton.inboard[link] >= 0 && traitsOf(model.data.joints[skeleton.inboard[link]].type).hasAxis;

/** The base, and what is fixed on it: the bases of other robots. */
export const groundLinks = (skeleton: Skeleton): number[] =>
  skeleton.order.filter((link) => link === 0 || skeleton.places.has(skeleton.inboard[link]));

/** Joints of a ground link, those of one robot together; robots side by side have one base. */
export function standing(model: ShapeModel, skeleton: Skeleton, ground: number): Attachment[][] {
  const { joints } = model.data;
  const groups: { robot: number; own: Attachment[] }[] = [];
  for (const a of skeleton.attachments[ground]) {
    if (a.kind === "frame" || skeleton.places.has(a.joint)) continue;
    const { parent, child } = joints[a.joint];
    const robot = ground === 0 ? skeleton.robot[a.kind === "joint" ? child : parent] : 0;
    const near = (b: Attachment) => distance(a.p_LA, b.p_LA) < skeleton.unit;
    const group = groups.find((one) => one.robot === robot || one.own.some(near));
    if (group) group.own.push(a);
    else groups.push({ robot, own: [a] });
  }
  return groups.map((group) => group.own);
}

export function readSkeleton(model: ShapeModel, travels: Travels): Skeleton {
  const { joints, loops, frames, links } = model.data;
  const attachments: Attachment[][] = links.map(() => []);
  const inboard = links.map(() => -1);
  const attach = (
    kind: Attachment["kind"],
    link: number,
    row: number,
    joint: number,
    hasAxis: boolean,
  ) => {
    const R_LA = read(model.transforms, 12 * row, 9) as Mat3;
    const p_LA = read(model.transforms, 12 * row + 9, 3) as Vec3;
    attachments[link].push({ kind, R_LA, p_LA, z_LA: column(R_LA, 2), joint, hasAxis });
  };
  joints.forEach((joint, index) => {
    attach("joint", joint.parent, joint.placement, index, traitsOf(joint.type).hasAxis);
    if (!joint.is_cut) inboard[joint.child] = index;
  });
  for (const loop of loops) {
    const joint = joints[loop.joint];
    attach("closure", joint.child, loop.placement, loop.joint, traitsOf(joint.type).hasAxis);
  }
  for (const frame of frames) attach("frame", frame.link, frame.placement, -1, true);

  const robot = robots(model);
  const places = findPlaces(model, robot);
  const [unit, known] = sizes(model, attachments, travels, places);
  const { order, Rs_WL, ps_WL } = stand(model, attachments, known);
  const plane = findPlane(model, attachments, Rs_WL, ps_WL, unit);
  const { branch, tone } = limbs(model, attachments, order);
  const weight = weights(model, attachments, order, known, places);
  return {
    attachments,
    inboard,
    order,
    Rs_WL,
    ps_WL,
    unit,
    weight,
    branch,
    tone,
    robot,
    places,
    plane,
    travels: known,
  };
}

function read(from: ArrayLike<number>, at: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from[at + i]);
}

const carries = (model: ShapeModel, a: Attachment) =>
  a.kind === "joint" && !model.data.joints[a.joint].is_cut;

/** Links in an order with parents first; their poses with angles zero and slides at travel. */
function stand(model: ShapeModel, attachments: Attachment[][], travels: Travels) {
  const Rs_WL: Mat3[] = attachments.map(() => IDENTITY);
  const ps_WL: Vec3[] = attachments.map(() => [0, 0, 0]);
  const order = [0];
  for (const link of order) {
    for (const a of attachments[link]) {
      if (!carries(model, a)) continue;
      const child = model.data.joints[a.joint].child;
      Rs_WL[child] = multiply(Rs_WL[link], a.R_LA);
      const p_LA = along(a.p_LA, a.z_LA, travels.get(a.joint) ?? 0);
      ps_WL[child] = add(ps_WL[link], apply(Rs_WL[link], p_LA));
      order.push(child);
    }
  }
  return { order, Rs_WL, ps_WL };
}

export function median(values: number[]): number {
  const sorted = values.slice().sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Typical distance between attachments, and a travel for every sliding joint [m]. */
function sizes(
  model: ShapeModel,
  attachments: Attachment[][],
  travels: Travels,
  places: Set<number>,
): [number, Map<number, number>] {
  const lengths = attachments.flatMap((own) =>
    own.filter((a) => !places.has(a.joint)).map((a) => length(a.p_LA)),
  );
  for (const travel of travels.values()) lengths.push(Math.abs(travel));
  const longest = Math.max(0, ...lengths);
  let unit = 1;
  if (longest > 0) {
    // A few long bars must not make the joints of many short ones huge, nor the reverse.
    const typical = median(lengths.filter((one) => one > proportion.SEEN_LENGTH * longest));
    unit = Math.min(
      proportion.MOST_UNIT * longest,
      Math.max(proportion.LEAST_UNIT * longest, typical),
    );
  }
  const known = new Map<number, number>();
  model.data.joints.forEach((joint, index) => {
    if (traitsOf(joint.type).slidesAlongAxis) known.set(index, travels.get(index) ?? unit);
  });
  return [unit, known];
}

/** The common plane of all joints, if they share one. */
function findPlane(
  model: ShapeModel,
  attachments: Attachment[][],
  Rs_WL: Mat3[],
  ps_WL: Vec3[],
  unit: number,
): Plane | null {
  const axes: [string, Vec3][] = [];
  const points: Vec3[] = [];
  attachments.forEach((own, link) => {
    for (const a of own) {
      points.push(add(ps_WL[link], apply(Rs_WL[link], a.p_LA)));
      if (a.joint >= 0) axes.push([model.data.joints[a.joint].type, apply(Rs_WL[link], a.z_LA)]);
    }
  });
  const turning = axes.find(([type]) => traitsOf(type).turnsAboutAxis);
  if (!turning || axes.some(([type]) => !traitsOf(type).fitsPlane)) return null;
  let normal = turning[1];
  for (const [type, z] of axes) {
    const wanted = traitsOf(type).isSlide ? 0 : 1;
    if (traitsOf(type).moves && Math.abs(Math.abs(dot(z, normal)) - wanted) > 1e-6) return null;
  }
  let heights = points.map((p) => dot(p, normal));
  if (Math.max(...heights) - Math.min(...heights) > proportion.FLAT_HEIGHT * unit) return null;
  // Of the two normals take the one that a viewer in front or above would see.
  if (normal[2] < -1e-9 || (Math.abs(normal[2]) <= 1e-9 && normal[1] > 1e-9)) {
    normal = scaled(normal, -1);
    heights = heights.map((h) => -h);
  }
  const rounded = normal.map((x) => Math.round(x * 1e12) / 1e12) as Vec3;
  return { normal: rounded, height: median(heights) };
}

/** Colour index and tone of every link: one index per limb, 0 for ground and platforms. */
function limbs(model: ShapeModel, attachments: Attachment[][], order: number[]) {
  const { joints, loops } = model.data;
  const touching = attachments.map(() => new Set<number>());
  for (const joint of joints) {
    touching[joint.parent].add(joint.child);
    touching[joint.child].add(joint.parent);
  }
  const isPlatform = (link: number) =>
    loops.length > 1 && touching[link].size > 2 && !touching[link].has(0);
  const branch = attachments.map(() => 0);
  const tone = attachments.map(() => 0);
  let used = 0;
  for (const link of order) {
    let continued = link === 0 || isPlatform(link);
    for (const a of attachments[link]) {
      if (!carries(model, a)) continue;
      const child = joints[a.joint].child;
      const rigid = !traitsOf(joints[a.joint].type).moves;
      tone[child] = rigid ? tone[link] : 1 - tone[link];
      if (isPlatform(child)) continue;
      if (continued && !(rigid && link !== 0)) {
        used += 1;
        branch[child] = used;
      } else {
        branch[child] = branch[link];
        continued = true;
      }
    }
  }
  return { branch, tone };
}

/** A number for every link, the same for those that joints connect without the base. */
function robots(model: ShapeModel): number[] {
  let robot = model.data.links.map((_, link) => link - 1);
  for (const { parent, child } of model.data.joints) {
    if (parent === 0 || child === 0) continue;
    const low = Math.min(robot[parent], robot[child]);
    const high = Math.max(robot[parent], robot[child]);
    robot = robot.map((one) => (one === high ? low : one));
  }
  return robot;
}

/** Fixed joints of the base that carry one of several robots which move. */
function findPlaces({ data }: ShapeModel, robot: number[]): Set<number> {
  const moving = data.joints.filter(({ type }) => traitsOf(type).moves);
  const alive = new Set(moving.flatMap(({ parent, child }) => [robot[parent], robot[child]]));
  alive.delete(-1);
  const carries = ({ type, parent, child }: (typeof data.joints)[number]) =>
    !traitsOf(type).moves && parent === 0 && alive.has(robot[child]);
  const places = data.joints.flatMap((joint, index) => (carries(joint) ? [index] : []));
  return new Set(alive.size > 1 ? places : []);
}

/** How far each link still reaches beyond its own joint, as a part of the whole reach. */
function weights(
  model: ShapeModel,
  attachments: Attachment[][],
  order: number[],
  travels: Travels,
  places: Set<number>,
): number[] {
  const reach = attachments.map(() => 0);
  for (const link of order.slice().reverse()) {
    for (const a of attachments[link]) {
      let far = places.has(a.joint) ? 0 : length(a.p_LA) + Math.abs(travels.get(a.joint) ?? 0);
      if (carries(model, a)) far += reach[model.data.joints[a.joint].child];
      reach[link] = Math.max(reach[link], far);
    }
  }
  const most = Math.max(...reach);
  // The limbs of a closed mechanism are all alike: there a taper would look like a mistake.
  if (model.data.loops.length || most <= 0) return attachments.map(() => proportion.EVEN_WEIGHT);
  return reach.map((far) => far / most);
}
