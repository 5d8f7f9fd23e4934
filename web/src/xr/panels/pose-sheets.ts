// Sheets of the mechanism itself: the library, its joints, its parameters.
import type { StudioHost } from "../../store/hosts.ts";
import { isDrivable } from "../../store/pose/driving.ts";
import { valueText } from "../../view/units.ts";
import type { Row, Sheet } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";

export function librarySheet(studio: StudioHost): Sheet {
  const entries = studio.welcome?.library ?? [];
  const now = studio.snapshot?.file === null ? studio.snapshot.model.name : null;
  const items = entries.map(({ name, title }) => ({
    label: title,
    isOn: name === now,
    isOff: studio.readOnly,
    run: () => said(studio, studio.open("library", name)),
  }));
  const rows = items.map((item) => buttons(item));
  return { title: "Library", rows: rows.length ? rows : [words("The studio has no library here")] };
}

export function jointsSheet(studio: StudioHost): Sheet {
  const { model, settings, q, readOnly } = studio;
  if (!model || readOnly) return { title: "Joints", rows: [words("This page is view-only")] };
  const joints = model.data.joints
    .map((joint, index) => ({ joint, index }))
    .filter(({ joint }) => joint.nv > 0 && !joint.is_cut);
  const hasMotors = joints.some(({ joint }) => joint.variables.some(({ motor }) => motor));
  const rows = joints.flatMap(({ joint, index }) =>
    joint.variables.flatMap((variable, k): Row[] => {
      if (!isDrivable(joint, k) || (hasMotors && !variable.motor)) return [];
      const unit = variable.quantity === "length" ? "m" : "rad";
      const reach = unit === "rad" ? Math.PI : 2 * model.size;
      const [lower, upper] = [model.lower[joint.v + k], model.upper[joint.v + k]];
      const value = q[joint.q + k];
      const label = joint.variables.length > 1 ? `${joint.name} ${variable.name}` : joint.name;
      return [
        {
          ...{ kind: "slider", label, value, text: valueText(value, unit, settings) },
          min: Number.isFinite(lower) ? lower : -reach,
          max: Number.isFinite(upper) ? upper : reach,
          isAlarm: value <= lower + 1e-6 || value >= upper - 1e-6,
          set: (next) => void studio.setVariable(index, k, next),
          commit: () => studio.commitPose(`move ${label}`),
        },
      ];
    }),
  );
  return { title: hasMotors ? "Motors" : "Joints", rows };
}

/** Where sliders of parameters end that the file gives no ends: by what they were at first. */
const firsts = new WeakMap<object, number[]>();

export function parametersSheet(studio: StudioHost): Sheet {
  const { model, settings, readOnly } = studio;
  const title = "Parameters";
  if (!model || readOnly) return { title, rows: [words("This page is view-only")] };
  const all = model.data.parameters;
  const starts = firsts.get(model) ?? all.map(({ index }) => model.reals[index]);
  firsts.set(model, starts);
  const rows = all.flatMap((one, i): Row[] => {
    if (one.formula) return [];
    const value = model.reals[one.index];
    const isAngle = one.quantity === "angle";
    const around = 2 * (starts[i] || 1);
    return [
      {
        ...{ kind: "slider", label: one.name, value },
        text:
          one.quantity === "number"
            ? Number(value.toPrecision(3)).toString()
            : valueText(value, isAngle ? "rad" : "m", settings),
        min: one.minimum ?? (isAngle ? -Math.PI : Math.min(0, around)),
        max: one.maximum ?? (isAngle ? Math.PI : Math.max(0, around)),
        set: (next) => void studio.setParameter(one.name, next),
        commit: () => {
          if (studio.link) said(studio, studio.commitNumbers(`change ${one.name}`));
        },
      },
    ];
  });
  return { title, rows: rows.length ? rows : [words("This mechanism has no free parameters")] };
}
