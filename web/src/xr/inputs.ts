// Hands and controllers as the frame of a session has them, in the user's room (z up, metres).
import { Matrix4, Vector3 } from "three";

/** One hand, controller or other thing that points. */
export interface Hand {
  readonly source: XRInputSource;
  readonly side: XRHandedness;
  /** tracked: a bare hand; controller: held in it; pointer: eyes, or a finger on a screen. */
  kind: "tracked" | "controller" | "pointer";
  /** Where it holds things; null where that is not known now. */
  grip: Matrix4 | null;
  /** Where it points, along −z; null where that is not known now. */
  ray: Matrix4 | null;
  /** Trigger or pinch, and the grip button; true until let go. */
  isSelecting: boolean;
  isSqueezing: boolean;
  /** Thumb stick: right and up, −1 … 1. */
  stick: readonly [number, number];
  buttons: readonly boolean[];
  /** Places of the 25 joints of a bare hand, with radii: x y z r each; null without one. */
  joints: Float32Array | null;
}

/** What happened to a hand since the last frame, in order. */
export interface Press {
  hand: Hand;
  button: "select" | "squeeze";
  isDown: boolean;
}

/** The room has z up, reference spaces have y up. */
export const X_RS = new Matrix4().makeRotationX(Math.PI / 2);

export class Inputs {
  readonly hands: Hand[] = [];
  private presses: Press[] = [];
  private readonly abort = new AbortController();

  /** @param lost Called for a hand that is there no more: switched off, or out of sight. */
  constructor(
    session: XRSession,
    private readonly lost: (hand: Hand) => void,
  ) {
    const { signal } = this.abort;
    const listen = (name: string, button: Press["button"], isDown: boolean): void =>
      session.addEventListener(
        name,
        (event) => this.pressed((event as XRInputSourceEvent).inputSource, button, isDown),
        { signal },
      );
    listen("selectstart", "select", true);
    listen("selectend", "select", false);
    listen("squeezestart", "squeeze", true);
    listen("squeezeend", "squeeze", false);
    session.addEventListener(
      "inputsourceschange",
      (event) => event.removed.forEach((source) => this.remove(source)),
      { signal },
    );
  }

  /** Reads everything; returns what was pressed or let go since the last time. */
  read(frame: XRFrame, space: XRReferenceSpace): Press[] {
    for (const source of frame.session.inputSources) {
      const hand = this.handOf(source);
      hand.ray = poseOf(frame, source.targetRaySpace, space);
      hand.grip = source.gripSpace ? poseOf(frame, source.gripSpace, space) : null;
      hand.joints = source.hand ? this.jointsOf(frame, source.hand, space, hand.joints) : null;
      const pinch = hand.joints && pinchPlace(hand.joints);
      // what a bare hand holds is between its finger and its thumb
      if (pinch && hand.grip) hand.grip.setPosition(pinch);
      const axes = source.gamepad?.axes ?? [];
      // the first two belong to a touch pad
      const [x, y] = axes.length >= 4 ? [axes[2], axes[3]] : [axes[0], axes[1]];
      hand.stick = [x ?? 0, -(y ?? 0)];
      hand.buttons = source.gamepad?.buttons.map(({ pressed }) => pressed) ?? [];
    }
    const { presses } = this;
    this.presses = [];
    for (const { hand, button, isDown } of presses)
      if (button === "select") hand.isSelecting = isDown;
      else hand.isSqueezing = isDown;
    return presses;
  }

  dispose(): void {
    this.abort.abort();
    for (const { source } of [...this.hands]) this.remove(source);
  }

  private pressed(source: XRInputSource, button: Press["button"], isDown: boolean): void {
    this.presses.push({ hand: this.handOf(source), button, isDown });
  }

  private remove(source: XRInputSource): void {
    const at = this.hands.findIndex((hand) => hand.source === source);
    if (at < 0) return;
    const [hand] = this.hands.splice(at, 1);
    this.presses = this.presses.filter((press) => press.hand !== hand);
    this.lost(hand);
  }

  private handOf(source: XRInputSource): Hand {
    const known = this.hands.find((hand) => hand.source === source);
    if (known) return known;
    const isHeld = source.targetRayMode === "tracked-pointer";
    const hand: Hand = {
      ...{ source, side: source.handedness, grip: null, ray: null, joints: null },
      kind: source.hand ? "tracked" : isHeld ? "controller" : "pointer",
      ...{ isSelecting: false, isSqueezing: false, stick: [0, 0], buttons: [] },
    };
    this.hands.push(hand);
    return hand;
  }

  private jointsOf(
    frame: XRFrame,
    hand: XRHand,
    space: XRReferenceSpace,
    known: Float32Array | null,
  ): Float32Array | null {
    const joints = known ?? new Float32Array(4 * hand.size);
    const place = new Vector3();
    let at = 0;
    for (const joint of hand.values()) {
      const pose = frame.getJointPose?.(joint, space);
      if (!pose) return null;
      const { x, y, z } = pose.transform.position;
      place.set(x, y, z).applyMatrix4(X_RS).toArray(joints, at);
      joints[at + 3] = pose.radius ?? 0.008;
      at += 4;
    }
    return joints;
  }
}

/** Index of the tips of thumb and forefinger among the joints. */
const [THUMB, FOREFINGER] = [4, 9];

/** Between the tips of thumb and forefinger. */
function pinchPlace(joints: Float32Array): Vector3 {
  const tip = (i: number): Vector3 => new Vector3().fromArray(joints, 4 * i);
  return tip(THUMB).lerp(tip(FOREFINGER), 0.5);
}

function poseOf(frame: XRFrame, of: XRSpace, space: XRReferenceSpace): Matrix4 | null {
  const pose = frame.getPose(of, space);
  return pose ? new Matrix4().fromArray(pose.transform.matrix).premultiply(X_RS) : null;
}
