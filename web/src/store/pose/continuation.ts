// Continuation: inputs brought on by small steps, loops closed on the way without changing branch.
import type { HandleSpec } from "../../kernel/dragger.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import { type HeldLimit, heldLimits } from "../../kernel/reasons.ts";
import { motorFlags } from "./driving.ts";
import { closeNear, farthest } from "../motion/timed-path.ts";

/** An input's value after a step. */
export interface InputMove {
  /** Its place in q. */
  at: number;
  /** Its degree of freedom in v. */
  v: number;
  value: number;
}

export interface ContinuationOptions {
  pins?: readonly HandleSpec[];
  limits?: boolean;
}

/** Newton steps after a step of the inputs: more would not be near any more. */
const CLOSING = 20;
/** Closing may move joints by so much more than the step was expected to [rad, sizes]. */
const SLACK = 0.02;
/** A joint this near to its limit stands at it [rad, sizes]. */
const TOUCHES = 1e-4;

export class Continuation {
  /** The pose before the last step, and how long that was. */
  private before: Float64Array | null = null;
  private length = 0;

  /** Forgets where it came from: the mechanism was moved by something else. */
  reset(): void {
    this.before = null;
  }

  /** One step of some length (any measure, the same each time); q in place. False: not possible. */
  step(
    model: PageModel,
    q: Float64Array,
    moves: readonly InputMove[],
    length: number,
    options: ContinuationOptions = {},
  ): boolean {
    const next = this.closed(model, q, moves, length, options);
    if (next === null) return false;
    this.before = q.slice();
    this.length = length;
    q.set(next);
    return true;
  }

  /** What keeps the inputs from moving: limits of other joints; none at a dead point. */
  obstacles(
    model: PageModel,
    q: Float64Array,
    moves: readonly InputMove[],
    options: ContinuationOptions,
  ): HeldLimit[] {
    if (options.limits === false) return [];
    const free = { ...options, limits: false };
    const beyond = this.closed(model, q, moves, 0, free);
    if (beyond === null) return [];
    const held = new Int32Array(model.nv);
    const { lower, upper } = model;
    for (const joint of model.data.joints) {
      if (joint.nq !== joint.nv) continue;
      for (let k = 0; k < joint.nv; ++k) {
        const [v, value] = [joint.v + k, beyond[joint.q + k]];
        if (moves.some((move) => move.v === v)) continue;
        if (value > upper[v] - TOUCHES) held[v] = 1;
        else if (value < lower[v] + TOUCHES) held[v] = -1;
      }
    }
    return heldLimits(model, held);
  }

  private closed(
    model: PageModel,
    q: Float64Array,
    moves: readonly InputMove[],
    length: number,
    { pins = [], limits = true }: ContinuationOptions,
  ): Float64Array | null {
    const put = (pose: Float64Array): Float64Array => {
      for (const { at, value } of moves) pose[at] = value;
      return pose;
    };
    if (model.counts.loop === 0 && pins.length === 0) return put(q.slice());
    const inputs = new Int32Array(model.nv);
    for (const { v } of moves) inputs[v] = 1;
    // the other motors hold, where the loops let them
    const withMotors = motorFlags(model).map((flag, v) => flag | inputs[v]);
    const ahead = this.predicted(model, q, length);
    for (const locked of [withMotors, inputs])
      for (const from of ahead ? [ahead, q] : [q]) {
        const pose = put(from.slice());
        const jump = farthest(model, q, pose) + SLACK;
        const options = { locked, pins, limits, jump, iterations: CLOSING };
        if (closeNear(model, pose, options)) return pose;
      }
    return null;
  }

  /** The last step taken once more: across poses where branches meet, it stays on its own. */
  private predicted(model: PageModel, q: Float64Array, length: number): Float64Array | null {
    if (this.before === null || this.before.length !== q.length || !(this.length > 0)) return null;
    const share = length / this.length;
    const way = model.difference(this.before, q);
    return model.integrate(
      q,
      way.map((value) => share * value),
    );
  }
}
