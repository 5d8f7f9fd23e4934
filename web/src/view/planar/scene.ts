// A planar mechanism as lines and circles in its plane.
import { traitsOf } from "../../kernel/tables/joint-types.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import { applyPose, applyPoseBack, poseAt } from "../../kernel/spatial.ts";
import { convexHull } from "../../shapes/solid.ts";
import { applyInverse, type Mat3, type Vec3 } from "../../shapes/vectors.ts";

export type Spot = [number, number];

export interface FlatLink {
  link: number;
  /** Places of its joints and frames [m]; one, two, or more. */
  spots: Spot[];
  /** Corners around them. */
  hull: Spot[];
}

export interface FlatJoint {
  joint: number;
  name: string;
  at: Spot;
  slides: boolean;
  motor: boolean;
  /** Direction of a slider. */
  along: Spot;
  onGround: boolean;
}

export interface FlatScene {
  links: FlatLink[];
  joints: FlatJoint[];
  frames: { name: string; at: Spot }[];
  /** All places, to fit the view. */
  points: Spot[];
  /** Where a point of a site is in the plane. */
  placeOf(site: number, point: Vec3): Spot;
  /** A place of the plane as a point of a link. */
  pointOn(link: number, at: Spot, height: number): Vec3;
  /** How high over the plane's origin a link's origin lies. */
  heightOf(link: number): number;
}

export function flatScene(model: PageModel, poses: Float64Array, plane: Mat3): FlatScene {
  const T = model.transforms;
  const spot = (p: Vec3): Spot => {
    const [x, y] = applyInverse(plane, p);
    return [x, y];
  };
  const placed = (link: number, row: number): Vec3 =>
    applyPose(poseAt(poses, link), [T[12 * row + 9], T[12 * row + 10], T[12 * row + 11]]);
  const spots: Spot[][] = model.data.links.map(() => []);
  const joints = model.data.joints.map((joint, index): FlatJoint => {
    const p = placed(joint.parent, joint.placement);
    const at = spot(p);
    const row = 12 * joint.placement;
    const end = applyPose(poseAt(poses, joint.parent), [
      T[row + 9] + T[row + 2],
      T[row + 10] + T[row + 5],
      T[row + 11] + T[row + 8],
    ]);
    const [u, v] = spot(end);
    const slides = traitsOf(joint.type).isSlide;
    spots[joint.parent].push(at);
    if (!joint.is_cut)
      spots[joint.child].push(spot(applyPose(poseAt(poses, joint.child), [0, 0, 0])));
    return {
      joint: index,
      name: joint.name,
      at: slides && !joint.is_cut ? spot(applyPose(poseAt(poses, joint.child), [0, 0, 0])) : at,
      slides,
      motor: joint.variables.some((variable) => variable.motor),
      along: [u - at[0], v - at[1]],
      onGround: joint.parent === 0 || joint.child === 0,
    };
  });
  for (const loop of model.data.loops)
    spots[model.data.joints[loop.joint].child].push(
      spot(placed(model.data.joints[loop.joint].child, loop.placement)),
    );
  const frames = model.data.frames.map((frame) => {
    const at = spot(placed(frame.link, frame.placement));
    if (frame.link !== 0) spots[frame.link].push(at);
    return { name: frame.name, at };
  });
  const links = spots.map((own, link): FlatLink => ({ link, spots: own, hull: convexHull(own) }));
  const points = [...spots.flat(), ...frames.map((frame) => frame.at)];
  return {
    links,
    joints,
    frames,
    points: points.length ? points : [[0, 0]],
    placeOf: (site, point) => spot(applyPose(poseAt(poses, site), point)),
    pointOn: (link, [x, y], height) =>
      applyPoseBack(poseAt(poses, link), [
        plane[0] * x + plane[1] * y + plane[2] * height,
        plane[3] * x + plane[4] * y + plane[5] * height,
        plane[6] * x + plane[7] * y + plane[8] * height,
      ]),
    heightOf: (link) => applyInverse(plane, applyPose(poseAt(poses, link), [0, 0, 0]))[2],
  };
}

/** The link under a place, and the point of it that is touched. */
export function touched(
  scene: FlatScene,
  at: Spot,
  reach: number,
): { link: number; at: Spot; point: Vec3; height: number } | null {
  let best: { link: number; at: Spot } | null = null;
  let near = reach;
  for (const { link, hull } of scene.links) {
    if (link === 0) continue;
    const inside =
      hull.length > 2 && hull.every((p, i) => left(p, hull[(i + 1) % hull.length], at));
    const count = hull.length > 2 ? hull.length : 1;
    for (let i = 0; i < count; i++) {
      if (!hull.length) continue;
      const foot = footOn(hull[i], hull[(i + 1) % hull.length], at);
      const distance = Math.hypot(foot[0] - at[0], foot[1] - at[1]);
      if (distance < near) [best, near] = [{ link, at: foot }, distance];
      else if (inside && !best) best = { link, at };
    }
  }
  if (!best) return null;
  const height = scene.heightOf(best.link);
  return { ...best, point: scene.pointOn(best.link, best.at, height), height };
}

const left = (p: Spot, q: Spot, at: Spot) =>
  (q[0] - p[0]) * (at[1] - p[1]) - (q[1] - p[1]) * (at[0] - p[0]) >= 0;

/** The place of a segment that is nearest to a place. */
function footOn(p: Spot, q: Spot, at: Spot): Spot {
  const [x, y] = [q[0] - p[0], q[1] - p[1]];
  const size = x * x + y * y;
  const t = size > 0 ? ((at[0] - p[0]) * x + (at[1] - p[1]) * y) / size : 0;
  const share = Math.min(1, Math.max(0, t));
  return [p[0] + share * x, p[1] + share * y];
}
