// What the charts, lamps and tables of a joint-space map show.
import {
  type JointMapFound,
  type MapBranch,
  OUT_OF_LIMITS,
  placeOf,
  REACHED,
} from "../../../store/workspace/joint-maps.ts";
import type { ModelData } from "../../../wire/messages.ts";
import { factorOf, type LengthUnit, type Quantity, unitOf } from "../../quantities/format.ts";

export interface MapVariable {
  label: string;
  joint: number;
  /** Row in the joint values. */
  row: number;
  quantity: Quantity;
  /** Limits [rad, m], infinite where there are none. */
  low: number;
  high: number;
  motor: boolean;
}

/** What can be charted: every variable but those of quaternions. */
export function mapVariables(
  data: ModelData,
  lower: ArrayLike<number>,
  upper: ArrayLike<number>,
): MapVariable[] {
  return data.joints.flatMap((joint, i) =>
    joint.nq !== joint.nv
      ? []
      : joint.variables.map(({ name, quantity, motor }, k) => ({
          label: joint.variables.length > 1 ? `${joint.name} ${name}` : joint.name,
          joint: i,
          row: joint.q + k,
          quantity,
          low: lower[joint.v + k],
          high: upper[joint.v + k],
          motor,
        })),
  );
}

/** Values of a variable at some places, in shown units; null where the branch does not get. */
export function curveOf(
  branch: MapBranch,
  variable: MapVariable,
  places: readonly number[],
  count: number,
  length: LengthUnit,
): (number | null)[] {
  const factor = factorOf(variable.quantity, length);
  return places.map((place) => {
    const value = branch.qs[variable.row * count + place];
    return Number.isFinite(value) ? value / factor : null;
  });
}

/** Whether a variable has different values at the places that a branch gets to. */
export function varies(branch: MapBranch, { row }: MapVariable, count: number): boolean {
  let [low, high] = [Infinity, -Infinity];
  for (const value of branch.qs.subarray(row * count, (row + 1) * count)) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high - low > 1e-9;
}

/** At how many places each joint is out of its range. */
export function lampCounts(branch: MapBranch, count: number): number[] {
  return Array.from({ length: branch.lamps.length / count }, (_, joint) => {
    let lit = 0;
    for (let i = 0; i < count; i++) lit += branch.lamps[joint * count + i];
    return lit;
  });
}

/** How many places are beyond the arm's length, and by how much at most [m]. */
export function lengthTest(beyond: Float32Array): { places: number; most: number } {
  let [places, most] = [0, 0];
  for (const far of beyond) {
    if (far <= 0) continue;
    places += 1;
    most = Math.max(most, far);
  }
  return { places, most };
}

/** A table of all places, for spreadsheets. */
export function mapTable(
  result: JointMapFound,
  branch: MapBranch,
  variables: readonly MapVariable[],
  length: LengthUnit,
): string {
  const heads = [
    ...["x", "y", "z"].map((axis) => `${axis} [${length}]`),
    ...variables.map(({ label, quantity }) => {
      const unit = quantity === "angle" ? "deg" : unitOf(quantity, length);
      return unit ? `${label} [${unit}]` : label;
    }),
    "state",
    ...(result.beyond ? [`beyond the length of the arm [${length}]`] : []),
  ];
  const far = factorOf("length", length);
  const digits = (x: number): string => (Number.isFinite(x) ? String(Number(x.toFixed(6))) : "");
  const words = (state: number): string =>
    state === REACHED ? "reached" : state === OUT_OF_LIMITS ? "out of limits" : "out of reach";
  const lines = Array.from({ length: result.count }, (_, i) =>
    [
      ...placeOf(result, i).map((x) => digits(x / far)),
      ...variables.map(({ row, quantity }) =>
        digits(branch.qs[row * result.count + i] / factorOf(quantity, length)),
      ),
      words(branch.states[i]),
      ...(result.beyond ? [digits(result.beyond[i] / far)] : []),
    ].join(","),
  );
  return `${[heads.map(quoted).join(","), ...lines].join("\n")}\n`;
}

const quoted = (text: string): string =>
  /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
