// Thumb sticks move the user: sideways turns by a step, forwards aims a step to another place.
import { Vector3 } from "three";
import type { Hand } from "../hands/inputs.ts";
import type { Place } from "../hands/hands.ts";
import { stepTo, throwTo, turned } from "./rig.ts";

/** A turn by a stick [rad]. */
export const SNAP_TURN = Math.PI / 6;
/** A stick is pushed, or let go again, beyond these. */
const PUSHED = 0.7;
const LET_GO = 0.3;

interface StickState {
  /** The stick was in the middle since the hand became idle: a push before meant something else. */
  isReady: boolean;
  isTurning: boolean;
  /** The way of the throw that shows where one would go; null while none is aimed. */
  aim: Vector3[] | null;
}

export class Walking {
  private readonly sticks = new Map<Hand, StickState>();

  constructor(private readonly place: Place) {}

  /** Reads the sticks of hands that hold nothing; head: in the room. */
  update(hands: readonly Hand[], head: Vector3): void {
    for (const known of this.sticks.keys()) if (!hands.includes(known)) this.sticks.delete(known);
    for (const hand of hands) {
      const state = this.sticks.get(hand) ?? { isReady: false, isTurning: false, aim: null };
      this.sticks.set(hand, state);
      if (state.isReady) {
        this.turn(hand.stick[0], state, head);
        this.step(hand, state, head);
      } else state.isReady = Math.hypot(...hand.stick) < LET_GO;
    }
  }

  /** Nothing is aimed any more; sticks count again once they have been in the middle. */
  cancel(): void {
    this.sticks.clear();
  }

  /** The throw that is aimed now, in the room; null: none. */
  get aimed(): readonly Vector3[] | null {
    return [...this.sticks.values()].find(({ aim }) => aim !== null)?.aim ?? null;
  }

  private turn(x: number, state: StickState, head: Vector3): void {
    if (Math.abs(x) < LET_GO) state.isTurning = false;
    if (Math.abs(x) < PUSHED || state.isTurning || state.aim) return;
    state.isTurning = true;
    this.place.rig = turned(this.place.rig, head, -Math.sign(x) * SNAP_TURN);
  }

  private step(hand: Hand, state: StickState, head: Vector3): void {
    if (!hand.ray) {
      // nobody knows where the hand points now: the step that was aimed is not made
      if (state.aim) this.sticks.delete(hand);
      return;
    }
    const [x, y] = hand.stick;
    const isAiming = y > PUSHED && Math.abs(x) < PUSHED;
    if (isAiming || (state.aim && y > LET_GO)) {
      const from = new Vector3().setFromMatrixPosition(hand.ray);
      state.aim = throwTo(from, new Vector3(0, 0, -1).transformDirection(hand.ray));
      return;
    }
    if (!state.aim) return;
    this.place.rig = stepTo(this.place.rig, head, state.aim.at(-1)!);
    state.aim = null;
  }
}
