// Hands and controllers as the frame of a session has them, in the user's room (z up, metres).
import { Matrix4, Vector3 } from "three";
import { commandsOf, stickOf } from "./buttons.ts";
import { Joints } from "./joints.ts";

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
  /** Thumb stick, or touch pad while it is pressed: right and up, −1 … 1. */
  stick: readonly [number, number];
  /** Whether its buttons for the menu and for stopping are pressed. */
  commands: { menu: boolean; stop: boolean };
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
  /** Hands that are there no more, before and after their last presses were read. */
  private readonly gone: Hand[] = [];
  private leaving: Hand[] = [];
  private space: XRReferenceSpace | null = null;
  private readonly joints = new Map<Hand, Joints>();
  /** Whether pinches choose what the eyes look at: hands point at nothing then. */
  private isLedByEyes = false;
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
        (event) => this.pressed(event as XRInputSourceEvent, button, isDown),
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
    this.space = space;
    for (const hand of this.leaving) this.lose(hand);
    this.leaving = this.gone.splice(0);
    for (const source of frame.session.inputSources) {
      const hand = this.handOf(source);
      this.isLedByEyes ||= source.targetRayMode === "transient-pointer";
      const isPointing = hand.kind !== "tracked" || !this.isLedByEyes;
      hand.ray = isPointing ? poseOf(frame, source.targetRaySpace, space) : null;
      hand.grip = source.gripSpace ? poseOf(frame, source.gripSpace, space) : null;
      hand.joints = this.joints.get(hand)?.read(frame, space) ?? null;
      const pinch = hand.joints && pinchPlace(hand.joints);
      // what a bare hand holds is between its finger and its thumb
      if (pinch && hand.grip) hand.grip.setPosition(pinch);
      if (!source.gamepad) continue;
      hand.stick = stickOf(source.gamepad);
      hand.commands = commandsOf(source.gamepad, hand.side);
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
    for (const hand of [...this.hands]) this.lose(hand);
  }

  private pressed(event: XRInputSourceEvent, button: Press["button"], isDown: boolean): void {
    const { inputSource, frame } = event;
    const hand = this.handOf(inputSource);
    // a short tap may be over before the next frame
    if (hand.ray === null && this.space && frame)
      hand.ray = poseOf(frame, inputSource.targetRaySpace, this.space);
    this.presses.push({ hand, button, isDown });
  }

  private remove(source: XRInputSource): void {
    const hand = this.hands.find((one) => one.source === source);
    if (!hand) return;
    // eyes and fingers on a screen are there only while they press: their release still counts
    if (hand.kind === "pointer" && this.presses.some((press) => press.hand === hand))
      this.gone.push(hand);
    else this.lose(hand);
  }

  private lose(hand: Hand): void {
    const at = this.hands.indexOf(hand);
    if (at < 0) return;
    this.hands.splice(at, 1);
    this.joints.delete(hand);
    this.presses = this.presses.filter((press) => press.hand !== hand);
    this.lost(hand);
  }

  private handOf(source: XRInputSource): Hand {
    const known = this.hands.find((hand) => hand.source === source);
    if (known) return known;
    const hand: Hand = {
      ...{ source, side: source.handedness, grip: null, ray: null, joints: null },
      kind: kindOf(source),
      ...{ isSelecting: false, isSqueezing: false, stick: [0, 0] },
      commands: { menu: false, stop: false },
    };
    this.hands.push(hand);
    if (hand.kind === "tracked" && source.hand)
      this.joints.set(hand, new Joints(source.hand, X_RS));
    return hand;
  }
}

/** Some controllers come with the joints of the hand that holds them: they are controllers still. */
export function kindOf({ targetRayMode, hand, profiles, gamepad }: XRInputSource): Hand["kind"] {
  if (targetRayMode !== "tracked-pointer") return "pointer";
  if (!hand) return "controller";
  const isBare = profiles.some((profile) => /(^|-)hand(-|$)/.test(profile));
  const hasGrip = (gamepad?.buttons.length ?? 0) > 1 && gamepad?.mapping === "xr-standard";
  return hasGrip && !isBare ? "controller" : "tracked";
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
