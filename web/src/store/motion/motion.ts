// Motions as tables of joint values, and as whole configurations that can be played.
import type { PageModel } from "../../kernel/page-model.ts";
import type { MotionData } from "../../wire/messages.ts";
import { closeNear } from "./timed-path.ts";

/** A motion's rows as whole configurations; `q` gives the joints it does not speak of. */
export interface PlayableMotion {
  data: MotionData;
  poses: Float64Array[];
  /** Degrees of freedom whose values the motion gives, 1 each; null when it gives all. */
  locked: Int32Array | null;
}

/** Throws when the motion is of another mechanism. */
export function playable(model: PageModel, data: MotionData, q: Float64Array): PlayableMotion {
  const joints = data.joints.map((name) => {
    const joint = model.data.joints.find((one) => one.name === name);
    if (joint === undefined)
      throw new Error(`motion '${data.name}' moves joint '${name}', which this mechanism lacks`);
    return joint;
  });
  const width = joints.reduce((sum, joint) => sum + joint.nq, 0);
  let here = q;
  const locked = new Int32Array(model.nv);
  for (const joint of joints) locked.fill(1, joint.v, joint.v + joint.nv);
  const isWhole = locked.every((one) => one === 1);
  const poses = data.values.map((row) => {
    if (row.length !== width)
      throw new Error(`motion '${data.name}' has ${row.length} numbers in a row, not ${width}`);
    const pose = here.slice();
    let at = 0;
    for (const joint of joints) for (let k = 0; k < joint.nq; ++k) pose[joint.q + k] = row[at++];
    // joints that are not in the table follow from those that are
    if (!isWhole) {
      closeNear(model, pose, { locked, jump: Infinity });
      here = pose;
    }
    return pose;
  });
  return { data, poses, locked: isWhole ? null : locked };
}

/** A motion of whole configurations, as the studio stores it. */
export function motionOf(
  model: PageModel,
  name: string,
  times: readonly number[],
  poses: readonly Float64Array[],
  interpolation: MotionData["interpolation"],
): MotionData {
  return {
    name,
    joints: model.data.joints.filter((joint) => joint.nq > 0).map((joint) => joint.name),
    times: [...times],
    values: poses.map((pose) => Array.from(pose)),
    interpolation,
    note: null,
  };
}
