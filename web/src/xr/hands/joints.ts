// The joints of a bare hand as a frame has them, in the user's room.
import { Matrix4, Vector3 } from "three";

/** How thick a joint is whose radius is not known [m]. */
const RADIUS = 0.008;
/** A hand of which more joints are missing is not known. */
const MOST_MISSING = 5;

/** All joints at once, where the browser can. */
interface Filling {
  fillPoses?(spaces: readonly XRSpace[], base: XRSpace, poses: Float32Array): boolean;
  fillJointRadii?(joints: readonly XRJointSpace[], radii: Float32Array): boolean;
}

/** Reads the joints of one hand, again and again without new arrays. */
export class Joints {
  /** Places and radii: x y z r each. */
  readonly values: Float32Array;
  private readonly spaces: XRJointSpace[];
  private readonly poses: Float32Array;
  private readonly radii: Float32Array;
  private readonly before: Float32Array;
  private readonly missing: boolean[];
  private readonly place = new Vector3();
  private isKnown = false;

  constructor(
    hand: XRHand,
    private readonly X_RS: Matrix4,
  ) {
    this.spaces = [...hand.values()];
    const { length } = this.spaces;
    this.poses = new Float32Array(16 * length);
    this.radii = new Float32Array(length);
    this.values = new Float32Array(4 * length);
    this.before = new Float32Array(4 * length);
    this.missing = new Array<boolean>(length).fill(false);
  }

  /** All joints now, as `values`; null while the hand is not tracked. */
  read(frame: XRFrame & Filling, space: XRReferenceSpace): Float32Array | null {
    const { spaces, poses, radii, values, missing, place } = this;
    this.before.set(values);
    if (frame.fillPoses && frame.fillJointRadii) {
      // joints that are not tracked are no numbers there
      frame.fillPoses(spaces, space, poses);
      frame.fillJointRadii(spaces, radii);
    } else this.readEach(frame, space);
    let count = 0;
    for (let i = 0; i < spaces.length; i += 1) {
      missing[i] = !Number.isFinite(poses[16 * i + 12]);
      if (missing[i]) count += 1;
      else
        place
          .fromArray(poses, 16 * i + 12)
          .applyMatrix4(this.X_RS)
          .toArray(values, 4 * i);
      if (!missing[i]) values[4 * i + 3] = radii[i] > 0 ? radii[i] : RADIUS;
    }
    this.isKnown = count === 0 || (this.isKnown && count <= MOST_MISSING);
    if (!this.isKnown) return null;
    if (count > 0) follow(values, this.before, missing);
    return values;
  }

  /** Older browsers give one joint at a time. */
  private readEach(frame: XRFrame, space: XRReferenceSpace): void {
    this.spaces.forEach((joint, i) => {
      const pose = frame.getJointPose?.(joint, space);
      if (pose) this.poses.set(pose.transform.matrix, 16 * i);
      else this.poses[16 * i + 12] = NaN;
      this.radii[i] = pose?.radius ?? NaN;
    });
  }
}

/**
 * Joints that are missing move as their neighbours do: along a finger the one before, for the wrist the
 * one after. `values` and `before`: x y z r each; those that are missing still have the values before.
 */
export function follow(
  values: Float32Array,
  before: Float32Array,
  missing: readonly boolean[],
): void {
  const first = missing.indexOf(false);
  if (first < 0) return;
  missing.forEach((isMissing, i) => {
    if (!isMissing) return;
    const beside = i === 0 ? first : i - 1;
    for (let k = 0; k < 3; k += 1)
      values[4 * i + k] = before[4 * i + k] + values[4 * beside + k] - before[4 * beside + k];
  });
}
