// A world that runs: going to a time that has passed, attributes of nodes, its log.
import type { FromPage, Simulation as State, SimulationOrder } from "../../wire/messages.ts";
import type { EditOf } from "../requests.ts";

/** What it needs of the simulation. */
export interface WorldRunHost {
  readonly state: State;
  readonly isOn: boolean;
  /** Whether there is nothing that could continue. */
  readonly needsStart: boolean;
  readonly error: string | null;
  readonly studio: { refuseIfWatching(): boolean };
  readonly hands: { releaseAll(): void };
  start(run: boolean): Promise<void>;
  order<K extends SimulationOrder["kind"]>(
    kind: K,
    order: EditOf<SimulationOrder, K>,
  ): Promise<boolean>;
  send(message: FromPage): boolean;
}

export class WorldRun {
  /** The time that is being gone to [s]. */
  private going: number | null = null;

  constructor(private readonly host: WorldRunHost) {}

  /** A world: goes to a time that it has passed [s]; of several the last one counts. */
  async goTo(time: number): Promise<void> {
    if (!this.host.isOn || this.host.studio.refuseIfWatching()) return;
    const isGoing = this.going !== null;
    this.going = time;
    if (isGoing) return;
    this.host.hands.releaseAll();
    for (let next = NaN; next !== this.going;) {
      next = this.going;
      if (!(await this.host.order("go_to_time", { time: next }))) break;
    }
    this.going = null;
  }

  /** Gives a node of the world an attribute. */
  setAttribute(node: string, name: string, value: number, unit = ""): void {
    this.host.send({ kind: "set_attribute", node, name, value, unit });
  }

  /** The log that is being written, or the last one. */
  get log(): State["log"] {
    return this.host.state.log;
  }
  get isLogging(): boolean {
    return this.host.isOn && this.log?.end === null;
  }

  /** Begins a log of the world, from its start where it does not run yet; or finishes it. */
  async writeLog(record: boolean): Promise<void> {
    if (this.host.studio.refuseIfWatching()) return;
    const isNew = record && this.host.needsStart;
    if (isNew) await this.host.start(false);
    if (this.host.error === null && (await this.host.order("write_log", { record })) && isNew)
      await this.host.order("play_simulation", {});
  }
}
