// A part in a hand: where it should be now, from where the hand was and is. Pure maths.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Four, Three } from "../../kernel/spatial.ts";

/** Where the held point should be in the world [m], and how its part should be turned, wxyz. */
export interface HandTarget {
  position: Three;
  quat: Four;
}

/** A held point can be this near or far along a ray [m of the room]. */
const REACH = [0.05, 100] as const;
/** A hand is at least so far from the eyes [m]. */
const SHORTEST = 0.25;

/**
 * The way of something that eyes have chosen and a hand pulls, wherever that hand is: it moves as far as
 * the hand seems to move before it, and turns on the spot. A ray would sweep it about the hand.
 */
export class Tow {
  private readonly from: Vector3;
  private readonly gain: number;

  /**
   * @param X_RG The hand that pulls, when it begins.
   * @param eyes Where the ray began.
   * @param at The held place. All in the room.
   */
  constructor(
    X_RG: Matrix4,
    eyes: Vector3,
    private readonly at: Vector3,
  ) {
    this.from = new Vector3().setFromMatrixPosition(X_RG);
    const reach = Math.max(SHORTEST, this.from.distanceTo(eyes));
    this.gain = Math.max(1, at.distanceTo(eyes) / reach);
  }

  /** What holds: a frame at the place where the held place should be, turned as the hand. */
  pose(X_RG: Matrix4): Matrix4 {
    const moved = new Vector3().setFromMatrixPosition(X_RG).sub(this.from);
    const place = this.at.clone().addScaledVector(moved, this.gain);
    return new Matrix4().extractRotation(X_RG).setPosition(place);
  }
}

export class Hold {
  /** The part, seen from the hand. */
  private readonly X_HP: Matrix4;

  /**
   * @param X_WH The hand when it took hold; with the scale of the user's room.
   * @param X_WP The part at that moment.
   * @param point The held point, in the part's axes [m].
   */
  constructor(
    X_WH: Matrix4,
    X_WP: Matrix4,
    private readonly point: Vector3,
  ) {
    this.X_HP = X_WH.clone().invert().multiply(X_WP);
  }

  target(X_WH: Matrix4): HandTarget {
    const X_WP = X_WH.clone().multiply(this.X_HP);
    const position = this.point.clone().applyMatrix4(X_WP).toArray();
    const turn = new Quaternion();
    X_WP.decompose(new Vector3(), turn, new Vector3());
    return { position, quat: [turn.w, turn.x, turn.y, turn.z] };
  }

  /** Pushes the point away along the hand's ray (−z), by a share of its distance; negative: nearer. */
  push(share: number): void {
    const held = this.point.clone().applyMatrix4(this.X_HP);
    const distance = -held.z;
    if (distance <= 0) return;
    const next = Math.min(REACH[1], Math.max(REACH[0], distance * Math.exp(share)));
    const factor = next / distance - 1;
    // along the line from the hand to the point: the ray itself does not always meet it
    this.X_HP.premultiply(
      new Matrix4().makeTranslation(held.x * factor, held.y * factor, held.z * factor),
    );
  }
}
