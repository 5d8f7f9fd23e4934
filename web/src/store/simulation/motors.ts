// Motors of a simulation: their modes, and the targets that the page gives them.
import type { PageModel } from "../../kernel/page-model.ts";
import type { FromPage, JointData } from "../../wire/messages.ts";
import type { MotorMode } from "./settings.ts";

/** What motors need of the simulation. */
export interface MotorsHost {
  readonly studio: { readonly model: PageModel | null; readonly q: Float64Array };
  readonly frame: { readonly q: Float64Array } | null;
  readonly settings: { readonly modes: Readonly<Record<string, MotorMode>> };
  set(change: { modes: Record<string, MotorMode> }): Promise<void>;
  send(message: FromPage): boolean;
  changed(): void;
}

export class Motors {
  /** Target positions of motors, by q; null while they hold the start. */
  targets: Float64Array | null = null;
  /** Target speeds or efforts of motors, by v [rad/s, m/s; N m, N]; kept for the next start. */
  rates = new Map<number, number>();

  constructor(private readonly host: MotorsHost) {}

  /** Where a motor's joint should be: its numbers in q. */
  target(joint: number, values: readonly number[]): void {
    const data = this.host.studio.model?.data.joints[joint];
    if (!data) return;
    this.targets ??= (this.host.frame ?? this.host.studio).q.slice();
    this.targets.set(values, data.q);
    this.host.send({ kind: "set_target", joint: data.name, values: [...values], what: "position" });
    this.host.changed();
  }

  /** Where one variable of a motor's joint should be; its others keep their targets. */
  targetVariable(joint: number, variable: number, value: number): void {
    const { studio } = this.host;
    const data = studio.model?.data.joints[joint];
    if (!data) return;
    const { q, nq } = data;
    const from = this.targets ?? studio.q;
    this.target(joint, Array.from(from.subarray(q, q + nq)).with(variable, value));
  }

  /** The target of the motor of a joint's variable: position, speed or effort. */
  modeOf(joint: JointData, variable: number): MotorMode {
    return this.host.settings.modes[joint.name] ?? joint.variables[variable]?.mode ?? "position";
  }

  /** How fast or how hard a motor should go, as its mode has it. */
  setRate(joint: JointData, variable: number, value: number): void {
    this.rates.set(joint.v + variable, value);
    this.sendRates(joint);
    this.host.changed();
  }

  /** Another mode of a joint's motors; they stand still until they get a target. */
  async setMode(joint: JointData, mode: MotorMode): Promise<void> {
    for (let k = 0; k < joint.nv; ++k) this.rates.delete(joint.v + k);
    await this.host.set({ modes: { ...this.host.settings.modes, [joint.name]: mode } });
    this.sendRates(joint);
  }

  private sendRates(joint: JointData): void {
    for (const what of ["velocity", "effort"] as const) {
      const values = joint.variables.map((_, k) => {
        const meant = this.modeOf(joint, k) === "torque" ? "effort" : "velocity";
        const isMeant = meant === what && !isPlace(this.modeOf(joint, k));
        return isMeant ? (this.rates.get(joint.v + k) ?? 0) : null;
      });
      if (values.some((value) => value !== null))
        this.host.send({
          ...{ kind: "set_target", joint: joint.name, what },
          values: values.map((value) => value ?? 0),
        });
    }
  }

  /** A simulation has begun: it gets the targets that were set before. */
  restart(): void {
    for (const joint of this.host.studio.model?.data.joints ?? [])
      if (joint.variables.some((_, k) => this.rates.get(joint.v + k))) this.sendRates(joint);
  }

  /** Another mechanism. */
  forget(): void {
    this.targets = null;
    this.rates.clear();
  }
}

/** Whether the target of a motor in this mode is a position. */
export function isPlace(mode: MotorMode): boolean {
  return mode === "position" || mode === "computed";
}
