// The lengths of a link that a person would call its own: distances to the joints it carries.
import type { ModelData } from "../../wire/messages.ts";

export interface LinkLength {
  label: string;
  /** Null where it is a parameter. */
  owner: string | null;
  key: string;
  value: number;
  /** What the file says, where that is a formula. */
  formula: string | null;
}

const LENGTHS = /^(closes\.)?[bdr]$/;

/** Lengths on a link, parameters by their name and once only; `reals` is the model's float block. */
export function linkLengths(data: ModelData, reals: Float64Array, link: number): LinkLength[] {
  const onLink = new Map<string, string>();
  for (const joint of data.joints) {
    if (joint.parent === link) onLink.set(`${joint.name} `, joint.name);
    if (joint.is_cut && joint.child === link) onLink.set(`${joint.name} closes.`, joint.name);
  }
  for (const frame of data.frames)
    if (frame.link === link) onLink.set(`${frame.name} `, frame.name);
  const editable = new Set(
    [...data.joints, ...data.frames].filter((one) => one.editable).map((one) => one.name),
  );
  const found = new Map<string, LinkLength>();
  for (const number of data.numbers) {
    const prefix = number.key.startsWith("closes.") ? "closes." : "";
    if (!LENGTHS.test(number.key) || !onLink.has(`${number.owner} ${prefix}`)) continue;
    const value = reals[number.index];
    if (value === 0 || !editable.has(number.owner)) continue;
    const parameter = data.parameters.find((one) => one.name === number.text && !one.formula);
    if (parameter)
      found.set(parameter.name, {
        label: parameter.name,
        owner: null,
        key: parameter.name,
        value,
        formula: null,
      });
    else
      found.set(`${number.owner}.${number.key}`, {
        label: `${number.key.replace("closes.", "")} of ${number.owner}`,
        owner: number.owner,
        key: number.key,
        value,
        formula: number.formula ? number.text : null,
      });
  }
  return [...found.values()];
}
