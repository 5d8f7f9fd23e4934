// The joint-space map: joint values of every branch over a box of places, as the panel asked for it.
import type {
  BoxData,
  JointMapResult,
  MapBranchData,
  MapProposalResult,
  PieceOf,
} from "../../wire/messages.ts";
import type { Piece } from "../../wire/piece-frame.ts";
import type { PoseHost, RequestHost } from "../hosts.ts";
import { Task } from "../task.ts";

export const AXES = ["x", "y", "z"] as const;
export type Axis = (typeof AXES)[number];
/** Lowest, highest [m], number of values. */
export type Span = [number, number, number];
export type Box = BoxData;
/** Axes along which a box ends before it begins. */
export const reversedAxes = (box: Box): Axis[] =>
  AXES.filter((axis) => box[axis][0] > box[axis][1]);

/** What the frame keeps at every place. */
export type Hold = MapProposalResult["holds"][number];

/** How a branch gets to a place. */
export const OUT_OF_REACH = 0;
export const OUT_OF_LIMITS = 1;
export const REACHED = 2;

export interface MapBranch extends MapBranchData {
  /** Joint values: row k of nq has one per place; NaN where it does not get. */
  qs: Float64Array;
  /** Joints out of their range: a row per joint. */
  lamps: Uint8Array;
  /** Of every place. */
  states: Uint8Array;
}

export interface JointMapFound extends Omit<JointMapResult, "branches"> {
  /** Places in all. */
  count: number;
  branches: MapBranch[];
  /** How far each place is beyond the arm's length [m], negative within it; null: not known. */
  beyond: Float32Array | null;
}

export class JointMaps {
  about: MapProposalResult | null = null;
  box: Box | null = null;
  hold: Hold = "free";
  wristAngle = 0;
  result: JointMapFound | null = null;
  /** Which branch is shown. */
  branch = 0;
  /** Place by index on each axis: charts go through it. */
  at: [number, number, number] = [0, 0, 0];
  /** The place under the pointer, null for none. */
  hovered: number | null = null;
  /** Numbers or settings have changed since it was made. */
  stale = false;
  /** Whether it is drawn in the view: while its panel is open. */
  shown = false;
  readonly task: Task;

  private readonly changed = (): void => this.studio.emit("maps", this);
  private readonly asking: Task;

  constructor(private readonly studio: PoseHost & RequestHost) {
    this.task = new Task(studio, this.changed);
    this.asking = new Task(studio, this.changed);
    studio.on("model", () => this.forget());
    studio.on("numbers", () => this.grewOld());
  }

  /** Asks what can be held and where a box would be, for another frame or mechanism. */
  async look(frame: string | null): Promise<void> {
    const found = await this.asking.run(() => this.studio.ask("map_proposal", { frame }));
    if (!found) return;
    const isOther = this.about?.frame !== found.frame;
    this.about = found;
    if (isOther || this.box === null) {
      this.box = found.box;
      this.hold = found.holds[0];
      this.wristAngle = found.wrist_angle ?? 0;
      if (isOther) this.result = null;
    }
    this.changed();
  }

  /** A box around where the frame is now. */
  async again(frame: string | null): Promise<void> {
    this.about = null;
    this.box = null;
    await this.look(frame);
  }

  set(change: Partial<Pick<JointMaps, "box" | "hold" | "wristAngle">>): void {
    Object.assign(this, change);
    this.grewOld();
    this.changed();
  }

  show(change: Partial<Pick<JointMaps, "branch" | "at" | "hovered" | "shown">>): void {
    Object.assign(this, change);
    this.changed();
  }

  async run(): Promise<void> {
    const { about, box } = this;
    if (!about || !box) return;
    const qs: Float64Array[] = [];
    const lamps: Uint8Array[] = [];
    let beyond: Float32Array | null = null;
    const take = ({ head, data }: Piece<PieceOf<"joint_map">>): void => {
      const { buffer, byteOffset: at, byteLength: size } = data;
      if (head.kind === "values") qs[head.branch] = new Float64Array(buffer, at, size / 8);
      else if (head.kind === "lamps") lamps[head.branch] = new Uint8Array(buffer, at, size);
      else beyond = new Float32Array(buffer, at, size / 4);
    };
    const request = { frame: about.frame, box, hold: this.hold, wrist_angle: this.wristAngle };
    const answer = await this.task.run(() => this.studio.ask("joint_map", request, take));
    if (!answer) return;
    const count = answer.shape[0] * answer.shape[1] * answer.shape[2];
    this.result = {
      ...answer,
      count,
      beyond,
      branches: answer.branches.map((one, n) => ({
        ...one,
        qs: qs[n],
        lamps: lamps[n],
        states: statesOf(qs[n], lamps[n], count),
      })),
    };
    this.branch = answer.present;
    this.at = nearest(this.result, this.position(answer.frame));
    this.hovered = null;
    this.stale = false;
    this.changed();
  }

  /** Puts the mechanism to a place, in the branch that is shown; false: it does not get there. */
  go(place: number): boolean {
    const { result, studio } = this;
    const branch = result?.branches[this.branch];
    if (!result || !branch || branch.states[place] === OUT_OF_REACH) return false;
    const q = poseAt(branch, place, result.count);
    const label = "Go to a place of the map";
    if (!studio.moveTo(q, label)) {
      // no way there with the loops closed: it is taken apart and put together again
      studio.setPose(q, "set");
      studio.commitPose(label);
    }
    return true;
  }

  /** Where a frame is now [m]. */
  private position(frame: string): [number, number, number] {
    const { model, poses } = this.studio;
    const at = 7 * (model?.site(frame) ?? 0) + 4;
    return [poses[at], poses[at + 1], poses[at + 2]];
  }

  private grewOld(): void {
    if (!this.result || this.stale) return;
    this.stale = true;
    this.changed();
  }

  private forget(): void {
    this.task.clear();
    this.asking.clear();
    this.about = this.box = this.result = this.hovered = null;
    this.stale = false;
    this.changed();
  }
}

/** The configuration of a branch at a place. */
export function poseAt(branch: MapBranch, place: number, count: number): Float64Array {
  return Float64Array.from(
    { length: branch.qs.length / count },
    (_, k) => branch.qs[k * count + place],
  );
}

/** How a branch gets to each place. */
export function statesOf(qs: Float64Array, lamps: Uint8Array, count: number): Uint8Array {
  const states = new Uint8Array(count);
  const joints = lamps.length / count;
  for (let i = 0; i < count; i++) {
    if (Number.isNaN(qs[i])) continue;
    states[i] = REACHED;
    for (let j = 0; j < joints; j++) if (lamps[j * count + i]) states[i] = OUT_OF_LIMITS;
  }
  return states;
}

/** The index of a place from those on its axes; z is fastest. */
export function placeIndex(shape: readonly number[], at: readonly number[]): number {
  return (at[0] * shape[1] + at[1]) * shape[2] + at[2];
}

/** Places along an axis through one. */
export function along(shape: readonly number[], at: readonly number[], axis: number): number[] {
  return Array.from({ length: shape[axis] }, (_, i) =>
    placeIndex(
      shape,
      at.map((k, j) => (j === axis ? i : k)),
    ),
  );
}

/** A place of the grid [m]. */
export function placeOf(result: JointMapFound, index: number): [number, number, number] {
  const [, ny, nz] = result.shape;
  const [x, y, z] = result.axes;
  return [x[Math.floor(index / (ny * nz))], y[Math.floor(index / nz) % ny], z[index % nz]];
}

/** The values on each axis next to a place. */
function nearest(
  { axes }: JointMapFound,
  place: readonly [number, number, number],
): [number, number, number] {
  return axes.map((values, k) => {
    const far = values.map((value) => Math.abs(value - place[k]));
    return far.indexOf(Math.min(...far));
  }) as [number, number, number];
}
