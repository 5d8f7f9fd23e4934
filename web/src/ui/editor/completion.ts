// Completion in the RAFF editor: keys from the schema, names and parameters from the mechanism.
import {
  snippetCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { NAMED_VALUES, placeOf } from "./place.ts";
import { keyInfo, keysOf } from "./schema.ts";

/** Names that the text may refer to, as they are now. */
export interface Names {
  links: readonly string[];
  frames: readonly string[];
  parameters: readonly string[];
}

const FUNCTIONS = ["sin", "cos", "tan", "asin", "acos", "atan2", "sqrt", "abs", "min", "max"];
const ROWS: Completion[] = [
  snippetCompletion("- {name: ${name}, parent: ${base}, d: ${100 mm}}", {
    label: "- joint",
    detail: "revolute",
    type: "class",
  }),
  snippetCompletion(
    "- {name: ${name}, type: prismatic, parent: ${base}, limits: [${0}, ${200 mm}]}",
    { label: "- sliding joint", detail: "prismatic", type: "class" },
  ),
  snippetCompletion(
    "- {name: ${name}, parent: ${B}, d: ${100 mm}, closes: {onto: ${D}, d: ${100 mm}}}",
    {
      label: "- closing joint",
      detail: "closes a loop",
      type: "class",
    },
  ),
];
const REPEATED = snippetCompletion(
  '- {repeat: {i: ${6}}, name: "${name}{i}", parent: ${base}, gamma: ${i*60 deg}}',
  { label: "- repeated row", detail: "rows that repeat", type: "class" },
);
const FRAME_ROWS: Completion[] = [
  snippetCompletion("- {name: ${tool}, parent: ${base}, d: ${100 mm}}", {
    label: "- frame",
    detail: "named position on a link",
    type: "class",
  }),
];

export function raffCompletions(names: () => Names) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const word = context.matchBefore(/[\w.-]*/);
    if (!word || (word.from === word.to && !context.explicit && !/[{,:]\s*$/.test(before)))
      return null;
    if (/#[^\n]*$/.test(before)) return null;
    const place = placeOf(before);
    const options =
      place.key === null
        ? keyOptions(place.group, place.present)
        : valueOptions(place.group, place.key, names());
    if (place.key === null && /\n\s+-?\s*$/.test(before.slice(0, word.from))) {
      if (place.group === "joints") options.unshift(...ROWS, REPEATED);
      if (place.group === "frames") options.unshift(...FRAME_ROWS, REPEATED);
    }
    return options.length ? { from: word.from, options, validFor: /^[\w.-]*$/ } : null;
  };
}

function keyOptions(group: string, present: readonly string[]): Completion[] {
  return keysOf(group)
    .filter((key) => !present.includes(key.name))
    .map((key) => ({
      label: key.name,
      apply: `${key.name}: `,
      detail: key.description.replace(/ \(default .*\)$/, ""),
      type: "property",
    }));
}

function valueOptions(group: string, key: string, names: Names): Completion[] {
  const info = keyInfo(group, key);
  const option = (type: string) => (label: string) => ({ label, type });
  const options: Completion[] = (info?.choices ?? []).map(option("enum"));
  if (info?.names)
    options.push(
      ...[...new Set([...names.links, ...names.frames])].map((label) => ({
        label,
        type: "variable",
        ...(/^[A-Za-z][\w.-]*$/.test(label) ? {} : { apply: JSON.stringify(label) }),
      })),
    );
  if (info?.number || group === NAMED_VALUES)
    options.push(...names.parameters.map(option("constant")), ...FUNCTIONS.map(option("function")));
  return options;
}
