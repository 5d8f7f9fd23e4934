// Curves of a simulation over its time: energy, loops, what motors give, what a hand does.
import type { LiveRow } from "../../../store/simulation/history.ts";
import type { Selection } from "../../../store/types.ts";
import { signalValues } from "../../../store/simulation/signals.ts";
import type { JointData, ModelData } from "../../../wire/messages.ts";

export type Topic = "energy" | "loops" | "efforts" | "force" | "joint" | "couplings" | "signals";

export interface LiveCurve {
  label: string;
  color: number;
  unit: string;
  values: number[];
}

export interface LiveSeries {
  times: number[];
  curves: LiveCurve[];
}

/** Points of a curve at most: a chart has no more pixels. */
const MOST = 900;

/** The joint that is chosen, or carries what is; the first one that moves where nothing is. */
export function chosenJoint(selection: Selection | null, data: ModelData): number {
  const { joints } = data;
  const moving = joints.findIndex((joint) => joint.nv > 0);
  if (selection?.kind === "joint") return selection.index;
  if (selection?.kind !== "link") return Math.max(0, moving);
  const found = joints.findIndex((joint) => !joint.is_cut && joint.child === selection.index);
  return found >= 0 ? found : Math.max(0, moving);
}

/** A number of a row. */
type Measure = (row: LiveRow) => number;
/** What a curve is made of. */
type Recipe = [label: string, color: number, unit: string, value: Measure];

export function liveSeries(
  topic: Topic,
  rows: readonly LiveRow[],
  data: ModelData,
  joint = 0,
  signals: ReadonlySet<string> = new Set(),
): LiveSeries {
  const known = rows.filter(KNOWN[topic] ?? (() => true));
  const stride = Math.max(1, Math.ceil(known.length / MOST));
  const kept = known.filter((_, i) => i % stride === 0 || i === known.length - 1);
  const times = kept.map((row) => row.time);
  if (topic === "signals") return { times, curves: signalCurves(kept, signals) };
  const curves = recipes(topic, rows, data, joint).map(
    ([label, color, unit, value]): LiveCurve => ({ label, color, unit, values: kept.map(value) }),
  );
  return { times, curves };
}

/** What joints bear is reported once somebody asks, and not with every frame. */
const KNOWN: Partial<Record<Topic, (row: LiveRow) => boolean>> = {
  joint: (row) => row.reactions !== null,
  couplings: (row) => row.transmitted !== null,
};

function recipes(
  topic: Exclude<Topic, "signals">,
  rows: readonly LiveRow[],
  data: ModelData,
  joint: number,
): Recipe[] {
  switch (topic) {
    case "energy": {
      // from the start on: heights have no zero of their own
      const first = rows[0]?.potential ?? 0;
      return [
        ["kinetic", 0, "J", (row) => row.kinetic],
        ["potential", 1, "J", (row) => row.potential - first],
        ["total − work", 2, "J", (row) => row.kinetic + row.potential - first - row.work],
      ];
    }
    case "loops":
      return [["loop gap", 0, "µm", (row) => 1e6 * row.gap]];
    case "force":
      return [["hand", 0, "N", (row) => row.force]];
    case "couplings":
      return data.couplings.map(({ name, members, is_length }, i): Recipe => {
        const unit = is_length ? "N" : "N m";
        return [`${name} on ${members[0]}`, i, unit, (row) => row.transmitted?.[i] ?? 0];
      });
    case "joint":
      return data.joints[joint] ? jointRecipes(data.joints[joint], joint) : [];
    case "efforts":
      return data.joints.flatMap((one, j) =>
        motorRecipes(one, (name) => [name ? `${one.name} ${name}` : one.name, j]),
      );
  }
}

/** What a joint bears, and what its motors give. */
function jointRecipes(joint: JointData, index: number): Recipe[] {
  const bears =
    (from: number): Measure =>
    (row) =>
      Math.hypot(...(row.reactions?.subarray(6 * index + from, 6 * index + from + 3) ?? [0]));
  return [
    ["force", 0, "N", bears(0)],
    ...["x", "y", "z"].map((axis, k): Recipe => [
      `force ${axis}`,
      1 + k,
      "N",
      (row) => row.reactions?.[6 * index + k] ?? 0,
    ]),
    ["moment", 4, "N m", bears(3)],
    ...motorRecipes(joint, (name, k) => [name ? `motor ${name}` : "motor", 5 + k]),
  ];
}

/** Efforts of a joint's motors; they are named where a joint has more than one variable. */
function motorRecipes(
  { variables, v }: JointData,
  look: (name: string, k: number) => [label: string, color: number],
): Recipe[] {
  return variables.flatMap(({ motor, name, quantity }, k): Recipe[] =>
    motor
      ? [
          [
            ...look(variables.length > 1 ? name : "", k),
            quantity === "length" ? "N" : "N m",
            (row) => row.efforts[v + k] ?? 0,
          ],
        ]
      : [],
  );
}

/** The signals that are charted, each of their numbers a curve. */
function signalCurves(rows: readonly LiveRow[], names: ReadonlySet<string>): LiveCurve[] {
  const table = rows.at(-1)?.signals.table ?? [];
  const values = rows.map(({ signals }) => signalValues(signals.table, signals.numbers));
  return table
    .filter(({ name }) => names.has(name))
    .flatMap(({ name, unit, size }) =>
      Array.from({ length: size }, (_, k) => ({
        label: size > 1 ? `${name} ${k + 1}` : name,
        unit,
        values: values.map((one) => one?.get(name)?.[k] ?? NaN),
      })),
    )
    .map((curve, color) => ({ ...curve, color }));
}
