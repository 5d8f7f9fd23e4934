// Where the cursor is in a RAFF text: in which group of keys, and behind which key.
import { keyInfo } from "./schema.ts";

export interface Place {
  /** '' for the top level, else the schema's name of the group: 'joints', 'joints_closes', … */
  group: string;
  /** The key whose value is being written; null where a key itself is. */
  key: string | null;
  /** Keys that stand beside it already. */
  present: string[];
}

/** Group of the parameters' own names, which no schema knows. */
export const NAMED_VALUES = "named values";

interface Brace {
  key: string;
  inside: string;
}

/** The place at the end of the text that stands before the cursor. */
export function placeOf(before: string): Place {
  const tops = [...before.matchAll(/^([A-Za-z_]\w*):/gm)];
  const top = tops.at(-1);
  const braces = openBraces(before.slice(top?.index ?? 0));
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (!braces.length && /^(\w|$)/.test(line)) {
    const present = tops.map((match) => match[1]);
    return { group: "", key: valueKey(line), present };
  }
  const section = top?.[1] ?? "";
  let group =
    section === "parameters" ? NAMED_VALUES : (keyInfo("", section)?.inner ?? "") || section;
  for (const { key } of braces) {
    if (group === NAMED_VALUES) group = key === section ? NAMED_VALUES : section;
    else if (key && key !== section) group = keyInfo(group, key)?.inner || key;
  }
  const inside = braces.at(-1)?.inside ?? line.replace(/^\s*(-\s+)?/, "");
  const present = [...inside.matchAll(/([A-Za-z_][\w-]*)\s*:/g)].map((match) => match[1]);
  return { group, key: valueKey(inside), present };
}

/** The key behind whose colon the text ends. */
function valueKey(text: string): string | null {
  return /([A-Za-z_][\w-]*)\s*:(?:\s+[^,{}]*|\s*\[[^\]]*)$/.exec(text)?.[1] ?? null;
}

/** Braces that are open at the end, outermost first, each with its key and what it holds so far. */
function openBraces(text: string): Brace[] {
  const open: Brace[] = [];
  let run = "";
  for (const char of text.replace(/#.*$/gm, "")) {
    if (char === "{") {
      open.push({ key: /([A-Za-z_][\w-]*)\s*:\s*\[?\s*$/.exec(run)?.[1] ?? "", inside: "" });
      run = "";
    } else if (char === "}") {
      open.pop();
      run = "";
    } else {
      run = char === "\n" || char === "," ? "" : run + char;
      const innermost = open.at(-1);
      if (innermost) innermost.inside += char;
    }
  }
  return open;
}
