// Off-axis projection: what an eye anywhere in front of a screen sees through it. Pure maths, after
// R. Kooima, "Generalized Perspective Projection" (2009).
import { Matrix4, Quaternion, Vector3 } from "three";

/** A flat screen by three of its corners [m]. */
export interface Screen {
  lowerLeft: Vector3;
  lowerRight: Vector3;
  upperLeft: Vector3;
}

/** What a camera needs: where its eye is, its orientation, and its frustum. */
export interface View {
  position: Vector3;
  quaternion: Quaternion;
  projection: Matrix4;
}

/** The view of an eye through a screen; null where the eye is not in front of it. */
export function offAxis(eye: Vector3, screen: Screen, near: number, far: number): View | null {
  const { lowerLeft, lowerRight, upperLeft } = screen;
  const right = lowerRight.clone().sub(lowerLeft).normalize();
  const up = upperLeft.clone().sub(lowerLeft).normalize();
  const normal = right.clone().cross(up).normalize();
  const [toLeft, toRight, toTop] = [lowerLeft, lowerRight, upperLeft].map((corner) =>
    corner.clone().sub(eye),
  );
  const distance = -normal.dot(toLeft);
  if (!(distance > 0)) return null;
  const scale = near / distance;
  const projection = new Matrix4().makePerspective(
    right.dot(toLeft) * scale,
    right.dot(toRight) * scale,
    up.dot(toTop) * scale,
    up.dot(toLeft) * scale,
    near,
    far,
  );
  const turn = new Matrix4().makeBasis(right, up, normal);
  return {
    position: eye.clone(),
    quaternion: new Quaternion().setFromRotationMatrix(turn),
    projection,
  };
}

/** What the pair of eyes depends on. */
export interface Pair {
  /** Vertical opening of the camera between both eyes [rad]. */
  opening: number;
  aspect: number;
  /** From the eyes to the plane that is seen at the depth of the screen, in the world [m]. */
  depth: number;
  /** Of the user [m]. */
  eyeDistance: number;
  /** Of the picture as it is shown [m]. */
  screenWidth: number;
}

/** The screen of a pair of eyes in the frame of the camera between them. */
export function screenOf({ opening, aspect, depth }: Pair): Screen {
  const h = depth * Math.tan(opening / 2);
  const w = h * aspect;
  return {
    lowerLeft: new Vector3(-w, -h, -depth),
    lowerRight: new Vector3(w, -h, -depth),
    upperLeft: new Vector3(-w, h, -depth),
  };
}

/**
 * Left and right eye in the frame of the camera between them. The world is shown at the scale at
 * which the picture fills the screen, so what is far away has the distance of the eyes as its
 * disparity: eyes never have to diverge.
 */
export function eyesOf(pair: Pair, near: number, far: number): [View, View] {
  const screen = screenOf(pair);
  const width = screen.lowerRight.x - screen.lowerLeft.x;
  const apart = (pair.eyeDistance / pair.screenWidth) * width;
  const [left, right] = [-1, 1].map((side) =>
    offAxis(new Vector3((side * apart) / 2, 0, 0), screen, near, far)!,
  );
  return [left, right];
}
