// Rows of the joint table, from a model's data.
export { JOINT_TYPES as TYPES } from "../../../kernel/tables/joint-types.ts";
import type { ModelData, NumberData } from "../../../wire/messages.ts";

export const COLUMNS = ["gamma", "b", "alpha", "d", "theta", "r"] as const;
export type Column = (typeof COLUMNS)[number];

export interface Row {
  kind: "joint" | "frame" | "closes";
  /** Joint or frame whose row it is in the file. */
  owner: string;
  type: string;
  /** Link or frame that it sits on. */
  parent: string;
  /** Link or frame where a cut joint lands, '' for others. */
  onto: string;
  motor: boolean;
  editable: boolean;
  cells: (NumberData | null)[];
}

/** Joints, each cut one followed by the frame where it lands; then frames. */
export function tableRows(data: ModelData): Row[] {
  const numbers = new Map(data.numbers.map((one) => [`${one.owner} ${one.key}`, one]));
  const cells = (owner: string, prefix = ""): (NumberData | null)[] =>
    COLUMNS.map((column) => numbers.get(`${owner} ${prefix}${column}`) ?? null);
  const rows: Row[] = [];
  for (const joint of data.joints) {
    const base = {
      owner: joint.name,
      type: joint.type,
      motor: joint.variables.some((variable) => variable.motor),
      editable: joint.editable,
    };
    const { on: parent, onto } = joint;
    rows.push({ ...base, kind: "joint", parent, onto, cells: cells(joint.name) });
    if (joint.is_cut)
      rows.push({
        ...base,
        kind: "closes",
        parent: onto,
        onto,
        cells: cells(joint.name, "closes."),
      });
  }
  for (const frame of data.frames)
    rows.push({
      kind: "frame",
      owner: frame.name,
      type: "",
      parent: frame.on,
      onto: "",
      motor: false,
      editable: frame.editable,
      cells: cells(frame.name),
    });
  return rows;
}
