// Places of joints in the world, for marks that sit on them.
import { traitsOf } from "../../kernel/tables/joint-types.ts";
import { Matrix4, Vector3 } from "three";
import type { PageModel } from "../../kernel/page-model.ts";
import { placementMatrix, poseMatrix } from "../spaces.ts";

const link = new Matrix4();
const frame = new Matrix4();

/** X_WF: the joint's frame on its parent, in the world. */
export function jointFrame(
  model: PageModel,
  poses: ArrayLike<number>,
  joint: number,
  out = new Matrix4(),
): Matrix4 {
  const { parent, placement } = model.data.joints[joint];
  poseMatrix(poses, parent, link);
  placementMatrix(model.transforms, placement, frame);
  return out.multiplyMatrices(link, frame);
}

/** Where the moving side of a joint is now: what slides has gone along. */
export function jointPlace(model: PageModel, poses: ArrayLike<number>, joint: number): Vector3 {
  const { child, is_cut: isCut, type } = model.data.joints[joint];
  const slides = traitsOf(type).slidesAlongAxis;
  if (slides && !isCut)
    return new Vector3(poses[7 * child + 4], poses[7 * child + 5], poses[7 * child + 6]);
  return new Vector3().setFromMatrixPosition(jointFrame(model, poses, joint));
}
