// Curves of a simulation over its time: energy, loops, what motors give, what a hand does.
import type { LiveRow } from "../../../store/simulation/history.ts";
import type { Selection } from "../../../store/types.ts";
import { signalValues } from "../../../store/simulation/signals.ts";
import type { ModelData } from "../../../wire/messages.ts";

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

export function liveSeries(
  topic: Topic,
  rows: readonly LiveRow[],
  data: ModelData,
  joint = 0,
  signals: ReadonlySet<string> = new Set(),
): LiveSeries {
  // what joints bear is reported once somebody asks, and not with every frame
  const known =
    topic === "joint"
      ? rows.filter((row) => row.reactions !== null)
      : topic === "couplings"
        ? rows.filter((row) => row.transmitted !== null)
        : rows;
  const stride = Math.max(1, Math.ceil(known.length / MOST));
  const kept = known.filter((_, i) => i % stride === 0 || i === known.length - 1);
  const first = rows[0]?.potential ?? 0;
  const curve = (
    label: string,
    color: number,
    unit: string,
    value: (row: LiveRow) => number,
  ): LiveCurve => ({ label, color, unit, values: kept.map(value) });
  const times = kept.map((row) => row.time);
  switch (topic) {
    case "energy":
      // from the start on: heights have no zero of their own
      return {
        times,
        curves: [
          curve("kinetic", 0, "J", (row) => row.kinetic),
          curve("potential", 1, "J", (row) => row.potential - first),
          curve("total − work", 2, "J", (row) => row.kinetic + row.potential - first - row.work),
        ],
      };
    case "loops":
      return { times, curves: [curve("loop gap", 0, "µm", (row) => 1e6 * row.gap)] };
    case "force":
      return { times, curves: [curve("hand", 0, "N", (row) => row.force)] };
    case "signals":
      return { times, curves: signalCurves(kept, signals) };
    case "couplings":
      return {
        times,
        curves: data.couplings.map((one, i) =>
          curve(
            `${one.name} on ${one.members[0]}`,
            i,
            one.is_length ? "N" : "N m",
            (row) => row.transmitted?.[i] ?? 0,
          ),
        ),
      };
    case "joint": {
      const one = data.joints[joint];
      if (!one) return { times, curves: [] };
      const bears = (from: number) => (row: LiveRow) =>
        Math.hypot(...(row.reactions?.subarray(6 * joint + from, 6 * joint + from + 3) ?? [0]));
      const along = (k: number) => (row: LiveRow) => row.reactions?.[6 * joint + k] ?? 0;
      const given = one.variables.flatMap((variable, k) =>
        variable.motor
          ? [
              curve(
                one.variables.length > 1 ? `motor ${variable.name}` : "motor",
                5 + k,
                variable.quantity === "length" ? "N" : "N m",
                (row) => row.efforts[one.v + k] ?? 0,
              ),
            ]
          : [],
      );
      return {
        times,
        curves: [
          curve("force", 0, "N", bears(0)),
          ...["x", "y", "z"].map((axis, k) => curve(`force ${axis}`, 1 + k, "N", along(k))),
          curve("moment", 4, "N m", bears(3)),
          ...given,
        ],
      };
    }
    case "efforts":
      return {
        times,
        curves: data.joints.flatMap((joint, j) =>
          joint.variables.flatMap((variable, k) => {
            if (!variable.motor) return [];
            const unit = variable.quantity === "length" ? "N" : "N m";
            const label =
              joint.variables.length > 1 ? `${joint.name} ${variable.name}` : joint.name;
            return [curve(label, j, unit, (row) => row.efforts[joint.v + k] ?? 0)];
          }),
        ),
      };
  }
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
