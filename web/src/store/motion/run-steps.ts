// Small steps of the inputs that run, with every loop closed, and what is in their way.
import type { PageModel } from "../../kernel/page-model.ts";
import { limitWords } from "../../kernel/reasons.ts";
import type { JointData, VariableData } from "../../wire/messages.ts";
import type { ChoiceHost, DragHost } from "../hosts.ts";
import { Continuation, type InputMove } from "../pose/continuation.ts";
import { inputAfter, inputSpeed, limitsOf, type RunInput } from "./run-input.ts";

/** An input's joint and variable, and the limits that it keeps to. */
interface Driven {
  joint: JointData;
  data: VariableData;
  limits: [number, number];
}

export class RunSteps {
  private readonly way = new Continuation();

  constructor(private readonly studio: DragHost & ChoiceHost) {}

  /** The mechanism is elsewhere than the last step left it. */
  reset(): void {
    this.way.reset();
  }

  /** Moves inputs for a time [s]; q in place. Returns those that came to an end of theirs; null: it
   * cannot continue. */
  step(
    model: PageModel,
    q: Float64Array,
    inputs: readonly RunInput[],
    time: number,
  ): RunInput[] | null {
    const { moves, ends } = this.moves(model, q, inputs, time);
    return this.way.step(model, q, moves, time, this.options) ? ends : null;
  }

  /** Of the fastest input [rad/s, sizes/s]. */
  fastest(model: PageModel, q: Float64Array, inputs: readonly RunInput[]): number {
    return Math.max(
      1e-9,
      ...inputs.map((input) => {
        const { joint, data, limits } = this.driven(model, input);
        const speed = Math.abs(inputSpeed(input, q[joint.q + input.variable], limits));
        return data.quantity === "length" ? speed / model.size : speed;
      }),
    );
  }

  driven(model: PageModel, input: RunInput): Driven {
    const joint = model.data.joints[input.joint];
    const limits: [number, number] = this.studio.settings.keepLimits
      ? limitsOf(model, joint, input.variable)
      : [-Infinity, Infinity];
    return { joint, data: joint.variables[input.variable], limits };
  }

  /** Those of the inputs that cannot move alone, all where each could; and what is in the way. */
  blocked(
    model: PageModel,
    q: Float64Array,
    inputs: readonly RunInput[],
    time: number,
  ): { stuck: readonly RunInput[]; why: string } {
    const stuck = inputs.filter((input) => {
      const { moves } = this.moves(model, q, [input], time);
      return !new Continuation().step(model, q.slice(), moves, time, this.options);
    });
    // a little further on than where it stands: the nearest pose beyond shows what is in the way
    const { moves } = this.moves(model, q, inputs, 100 * time);
    const limits = this.way.obstacles(model, q, moves, this.options);
    this.way.reset();
    return { stuck: stuck.length ? stuck : inputs, why: this.reason(limits) };
  }

  /** A value as the user reads it. */
  words(value: number, quantity: string): string {
    const digits = (x: number): string => String(Number(x.toFixed(1)) || 0).replace("-", "−");
    if (quantity === "angle") {
      const turn = (value * 180) / Math.PI;
      return `${digits(turn - 360 * Math.round(turn / 360))}°`;
    }
    return this.studio.settings.lengthUnit === "mm"
      ? `${digits(1000 * value)} mm`
      : `${String(Number(value.toFixed(4)) || 0).replace("-", "−")} m`;
  }

  private reason(limits: ReturnType<Continuation["obstacles"]>): string {
    if (limits.length === 0)
      return this.studio.pins.length
        ? "a pin prevents it"
        : "a dead point: the loops cannot close beyond it";
    return limits
      .map((limit) =>
        limitWords(limit, (value) => this.words(value, limit.unit === "rad" ? "angle" : "length")),
      )
      .join(", ");
  }

  private get options() {
    return { pins: this.studio.pins, limits: this.studio.settings.keepLimits };
  }

  private moves(model: PageModel, q: Float64Array, inputs: readonly RunInput[], time: number) {
    const ends: RunInput[] = [];
    const moves = inputs.map((input): InputMove => {
      const { joint, limits } = this.driven(model, input);
      const at = joint.q + input.variable;
      const { value, isEnd } = inputAfter(input, q[at], limits, time);
      if (isEnd) ends.push(input);
      return { at, v: joint.v + input.variable, value };
    });
    return { moves, ends };
  }
}
