// A Denavit-Hartenberg table that is typed into a grid, as the text that the studio reads.

export const COLUMNS = ["name", "type", "theta", "d", "a", "alpha", "lower", "upper"] as const;
export type Column = (typeof COLUMNS)[number];
export type GridRow = Record<Column, string>;

export function emptyRow(): GridRow {
  return { name: "", type: "", theta: "", d: "", a: "", alpha: "", lower: "", upper: "" };
}

/** The grid as text: columns that nobody filled are left out, unless a table needs them. */
export function gridText(rows: readonly GridRow[]): string {
  const needed: readonly Column[] = ["theta", "d", "a", "alpha"];
  const used = COLUMNS.filter((one) => needed.includes(one) || rows.some((row) => row[one].trim()));
  const line = (row: GridRow): string => used.map((one) => row[one].trim()).join("\t");
  // a row without anything would not be a row of the text: its joint turns about z
  const lines = rows.map((row) =>
    used.some((one) => row[one].trim()) ? line(row) : emptyLine(used),
  );
  return [used.join("\t"), ...lines].join("\n");
}

function emptyLine(used: readonly Column[]): string {
  return used.map((one) => (one === "theta" ? "0" : "")).join("\t");
}

/** A table that was read, as a grid; units of its header are given up for those of the whole. */
export function gridOf(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): GridRow[] {
  const kinds = columns.map((one) => one.replace(/ \[.*$/, ""));
  return rows.slice(1).map((cells) => {
    const row = emptyRow();
    kinds.forEach((kind, i) => {
      if ((COLUMNS as readonly string[]).includes(kind)) row[kind as Column] = cells[i] ?? "";
    });
    return row;
  });
}
