// What may stand where in a RAFF text, read off its JSON schema.
import schema from "../../../../src/kinegen/raff/raff.schema.json";

export interface KeyInfo {
  name: string;
  description: string;
  /** Fixed choices for its value. */
  choices: readonly string[];
  /** Whether its value names a link, joint or frame. */
  names: boolean;
  /** Whether its value is a number, so that parameters may stand there. */
  number: boolean;
  /** The group of keys inside it, '' where there is none. */
  inner: string;
}

interface Node {
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  type?: string | readonly string[];
  pattern?: string;
  $ref?: string;
  anyOf?: readonly Node[];
  items?: Node;
  else?: Node;
  properties?: Record<string, Node>;
}

const root: Node & { $defs: Record<string, Node> } = schema;
const NAMED = new Set(["parent", "onto", "moves", "frame", "link", "object", "part", "joint", "joints", "sensors"]); // prettier-ignore

function definition(node: Node | undefined): string {
  if (!node) return "";
  const own = node.$ref?.replace("#/$defs/", "") ?? "";
  if (own && root.$defs[own]?.properties) return own;
  for (const one of [...(node.anyOf ?? []), node.items, node.else]) {
    const inner = definition(one);
    if (inner) return inner;
  }
  return "";
}

function choices(node: Node): string[] {
  const own = [...(node.enum ?? []), ...(node.anyOf ?? []).flatMap((one) => choices(one))];
  if (node.type === "boolean") own.push("true", "false");
  return own.map(String);
}

function isNumber(node: Node): boolean {
  return (node.$ref ?? "").includes("number") || (node.anyOf ?? []).some(isNumber);
}

function keys(node: Node | undefined): KeyInfo[] {
  return Object.entries(node?.properties ?? {}).map(([name, value]) => ({
    name,
    description: value.description ?? "",
    choices: choices(value),
    names: NAMED.has(name),
    number: isNumber(value) || (value.items !== undefined && isNumber(value.items)),
    inner: definition(value),
  }));
}

const groups = new Map<string, KeyInfo[]>();

/** Keys of a group: '' for the top, else a definition such as 'joints' or 'closes'. */
export function keysOf(group: string): KeyInfo[] {
  let found = groups.get(group);
  if (!found) groups.set(group, (found = keys(group ? root.$defs[group] : root)));
  return found;
}

export function keyInfo(group: string, name: string): KeyInfo | undefined {
  return keysOf(group).find((key) => key.name === name);
}
