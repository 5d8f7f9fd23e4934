// Robots that a mechanism includes: which there are, where they stand, where another has room.
import type { PageModel } from "../../../kernel/page-model.ts";
import {
  applyPoseBack,
  conjugate,
  multiply,
  placeOf,
  poseAt,
  quatOf,
} from "../../../kernel/spatial.ts";
import type { ModelData } from "../../../wire/messages.ts";

export interface Robot {
  name: string;
  /** The link or frame it stands on. */
  parent: string;
  /** Where it stands on that: wxyz xyz. */
  pose(poses: Float64Array): number[];
}

/** The robots of a mechanism, without those inside other robots. */
export function robotsOf(data: ModelData): Robot[] {
  return data.joints
    .filter((joint) => data.robots.includes(joint.name))
    .map(({ name, on, parent, child }) => ({
      name,
      parent: on,
      pose: (poses) => {
        const frame = data.frames.findIndex((one) => one.name === on);
        const site = frame < 0 ? parent : data.links.length + frame;
        const [below, own] = [poseAt(poses, site), poseAt(poses, child)];
        const quat = multiply(conjugate(quatOf(below)), quatOf(own));
        return [...quat, ...applyPoseBack(below, placeOf(own))];
      },
    }));
}

/** A place beside everything there is, along y [m]. */
export function beside(model: PageModel, poses: Float64Array): [number, number, number] {
  let most = 0;
  for (let i = 0; i < model.siteCount; ++i) most = Math.max(most, poses[7 * i + 5]);
  return [0, Number((most + 1.2 * model.size).toPrecision(2)), 0];
}
