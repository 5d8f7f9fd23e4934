// The real robot that the page drives: found, switched on, led, taught; what it measures.
import type {
  ConnectRobot,
  DriveFrame,
  DriveOrder,
  DriveState,
  PortData,
  SerialPortsResult,
} from "../../wire/messages.ts";
import type {
  MotionHost,
  NoticeHost,
  PoseHost,
  RequestHost,
  ConnectionHost,
  SimulationHost,
} from "../hosts.ts";
import type { DriveResults, EditOf } from "../requests.ts";
import type { Heart } from "./heart.ts";

const NONE: DriveState = {
  ...{ kind: "drive_state", phase: "none", reason: "", owner: 0, task: "" },
  ...{ bus: "", port: "", baud: 0, measures: true, servos: [] },
  ...{ speed: 0.25, torque: 1, on_stop: "hold", twin: false, marked: [], zeros: [] },
};
/** Of the differences that are plotted [s]. */
const SPAN = 15;

/** What a robot is connected with. */
export type RobotChoice = Pick<ConnectRobot, "bus" | "port" | "speed" | "torque" | "on_stop">;

/** Commanded and measured values of all joints over the last seconds. */
export interface Differences {
  /** [s] */
  times: number[];
  /** By servo: goal less measured value [rad, m]. */
  lag: number[][];
  /** By servo: measured value less that of the simulated robot; empty where there is none. */
  twin: number[][];
}

export class RealRobot {
  state: DriveState = NONE;
  frame: DriveFrame | null = null;
  ports: readonly PortData[] = [];
  kinds: readonly string[] = [];
  /** Why ports cannot be listed, or the last order was refused, in words. */
  error: string | null = null;
  busy = false;
  readonly history: Differences = { times: [], lag: [], twin: [] };

  constructor(
    private readonly studio: PoseHost &
      NoticeHost &
      ConnectionHost &
      RequestHost &
      MotionHost &
      SimulationHost,
    private readonly heart: Heart,
  ) {
    studio.on("connection", (state) => {
      if (state !== "open") this.took(NONE);
    });
  }

  get phase(): DriveState["phase"] {
    return this.state.phase;
  }
  get isConnected(): boolean {
    return this.phase !== "none" && this.phase !== "connecting";
  }
  get isOn(): boolean {
    return this.phase === "on";
  }
  /** Whether this page drives it; others watch. */
  get isOurs(): boolean {
    return this.state.owner === this.studio.welcome?.client;
  }
  /** Whether the page shows where the robot is, instead of leading it. */
  get isLeading(): boolean {
    return this.isOurs && (this.state.task === "teach" || this.state.task === "play");
  }
  /** The measured pose, where it is shown beside the mechanism; null: it is the mechanism's. */
  get phantom(): readonly number[] | null {
    return this.isConnected && !this.isLeading && this.state.measures
      ? (this.frame?.q ?? null)
      : null;
  }

  // Orders

  /** Lists the serial ports of the computer that the studio runs on. */
  async loadPorts(): Promise<void> {
    try {
      const found: SerialPortsResult = await this.studio.ask("serial_ports", {}).promise;
      this.ports = found.ports;
      this.kinds = found.kinds;
      this.error = found.trouble || null;
    } catch (error) {
      this.error = words(error);
    }
    this.changed();
  }

  /** Finds all servos; nothing moves. */
  async connect(choice: RobotChoice): Promise<void> {
    await this.order("connect_robot", { ...choice, q: Array.from(this.studio.q) });
  }

  /** Switches the motors on, with their goals where the robot is. */
  async start(twin: boolean): Promise<void> {
    await this.order("start_robot", { twin });
  }

  /** The robot goes where the mechanism in the page is. */
  async follow(): Promise<void> {
    this.studio.player.pause();
    await this.order("follow_page", {});
  }

  /** Plays what is in the player. */
  async play(): Promise<void> {
    const { player } = this.studio;
    player.pause();
    const { motion } = player;
    if (motion === null) {
      this.studio.notice("warning", "there is no motion to play: record one, or choose one");
      return;
    }
    const done = await this.order("play_on_robot", { motion });
    if (done && done.pace < 1)
      this.studio.notice(
        "info",
        `the motion is too fast for the limits: it is played at ${(100 * done.pace).toFixed(0)} % of its speed`,
      );
  }

  /** Motors off: a hand leads the robot, and the page follows. */
  async teach(): Promise<void> {
    await this.order("teach_robot", {});
  }

  /** Ends what it does; what was taught comes into the player. */
  async finish(): Promise<void> {
    const wasLeading = this.isLeading;
    const done = await this.order("finish_task", {});
    if (wasLeading) this.studio.commitPose("Move the real robot");
    if (done?.motion) this.studio.player.load(done.motion, Infinity);
  }

  async limit(speed: number, torque: number): Promise<void> {
    await this.order("limit_robot", { speed, torque });
  }

  async letGo(): Promise<void> {
    await this.order("let_go_robot", {});
  }

  /** A hand has brought a joint to a value that is known [rad, m]. */
  async mark(joint: string, value: number): Promise<void> {
    await this.order("mark_joint", { joint, value });
  }

  /** A hand has moved a marked joint to larger values: offset and direction of its servo. */
  async zero(joint: string): Promise<void> {
    await this.order("find_zero", { joint });
  }

  /** Writes what was found into the file. */
  async writeZeros(): Promise<void> {
    await this.order("write_zeros", {});
  }

  async disconnect(): Promise<void> {
    await this.order("disconnect_robot", {});
  }

  /** Stops it at once; a page that only watches may not. */
  stop(reason = "by the user"): void {
    if (this.isConnected && !this.studio.readOnly)
      this.studio.link?.send({ kind: "drive_stop", reason });
  }

  // What the studio says

  /** @internal */
  took(state: DriveState): void {
    const before = this.state;
    this.state = state;
    if (!this.isConnected) this.forget();
    if (this.isOurs && state.phase === "on") this.heart.start(() => this.beat());
    else this.heart.stop();
    if (before.task === "play" && state.task === "" && this.isOurs && this.isConnected)
      this.studio.commitPose("Move the real robot");
    this.changed();
  }

  /** @internal */
  heard(frame: DriveFrame): void {
    if (!this.isConnected) return;
    this.frame = frame;
    // motors that are off have no goals
    if (this.isOn) this.note(frame);
    const { model, simulation } = this.studio;
    if (this.isLeading && frame.q.length === model?.nq && !simulation.isRunning)
      this.studio.setPose(Float64Array.from(frame.q), "robot");
    this.studio.emit("robotFrame", this);
  }

  // Inside

  private beat(): void {
    this.studio.link?.send({ kind: "drive_beat" });
  }

  private note({ time, goals, positions, twin }: DriveFrame): void {
    const { history } = this;
    if (history.lag.length !== goals.length) this.clear();
    history.times.push(time);
    goals.forEach((goal, i) => (history.lag[i] ??= []).push(goal - positions[i]));
    positions.forEach((now, i) => (history.twin[i] ??= []).push(now - (twin[i] ?? NaN)));
    while (time - history.times[0] > SPAN)
      for (const column of [history.times, ...history.lag, ...history.twin]) column.shift();
  }

  private clear(): void {
    this.history.times = [];
    this.history.lag = [];
    this.history.twin = [];
  }

  private forget(): void {
    this.frame = null;
    this.clear();
    this.studio.emit("robotFrame", this);
  }

  private async order<K extends DriveOrder["kind"]>(
    kind: K,
    order: EditOf<DriveOrder, K>,
  ): Promise<DriveResults[K] | null> {
    if (this.studio.refuseIfWatching()) return null;
    this.busy = true;
    this.error = null;
    this.changed();
    try {
      return await this.studio.driveRobot(kind, order);
    } catch (error) {
      this.error = words(error);
      // what was pressed may be far below the place where it is shown
      if (kind !== "connect_robot") this.studio.notice("warning", this.error);
      return null;
    } finally {
      this.busy = false;
      this.changed();
    }
  }

  private changed(): void {
    this.studio.emit("robot", this);
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
