// Sheets of the mechanism itself: the library, its joints, its parameters.
import type {
  PoseHost,
  DragHost,
  NumberHost,
  ChoiceHost,
  NoticeHost,
  ConnectionHost,
  RequestHost,
} from "../../store/hosts.ts";
import { isDrivable } from "../../store/pose/driving.ts";
import { valueText } from "../../view/units.ts";
import { modeRows } from "./mode-rows.ts";
import type { Row, Sheet } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";

type Host = PoseHost &
  DragHost &
  NumberHost &
  ChoiceHost &
  NoticeHost &
  ConnectionHost &
  RequestHost;

/** Which heading of the library is open; null: the list of headings. */
const opened = new WeakMap<object, string | null>();
const FILES = "Files of the project";

/** Headings first, then what is under one: there are too many for one list. Worlds are among them. */
export function librarySheet(studio: Host): Sheet {
  const { welcome, snapshot, readOnly } = studio;
  const library = welcome?.library ?? [];
  const files = welcome?.files ?? [];
  const names = [...new Set(library.map(({ family }) => family))];
  const heading = opened.get(studio) ?? null;
  const go = (to: string | null) => () => void opened.set(studio, to);
  if (heading === null) {
    const all = [...(files.length ? [FILES] : []), ...names];
    const items = all.map((label) => ({ label, run: go(label) }));
    const rows = items.flatMap((item, i) =>
      i % 2 ? [] : [buttons(item, ...items.slice(i + 1, i + 2))],
    );
    return { title: "Library", rows: rows.length ? rows : [words("The studio has no library")] };
  }
  const now = snapshot?.file ?? snapshot?.model.name;
  const item = (label: string, source: "library" | "file", value: string): Row =>
    buttons({
      ...{ label, isOn: value === now, isOff: readOnly },
      run: () => said(studio, studio.open(source, value)),
    });
  const rows =
    heading === FILES
      ? files.map((file) => item(file, "file", file))
      : library
          .filter(({ family }) => family === heading)
          .map(({ name, title }) => item(title, "library", name));
  return { title: heading, rows: [buttons({ label: "‹ Library", run: go(null) }), ...rows] };
}

export function jointsSheet(studio: Host): Sheet {
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
  return {
    title: hasMotors ? "Motors" : "Joints",
    rows: [...rows, pinRow(studio), ...modeRows(studio)],
  };
}

/** Pins hold what was grabbed last where it is. */
function pinRow(studio: Host): Row {
  const { selection, pins, model } = studio;
  const link = selection?.kind === "link" && selection.index > 0 ? selection : null;
  const name = link ? `'${model?.data.links[link.index]}'` : "what was grabbed";
  return buttons(
    {
      ...{ label: `Pin ${name}`, isOff: link === null },
      run: () => link && studio.pin(link.index, link.point),
    },
    {
      ...{ label: `Unpin all (${pins.length})`, isOff: pins.length === 0 },
      run: () => {
        for (let i = pins.length - 1; i >= 0; i -= 1) studio.unpin(i);
      },
    },
  );
}

/** Where sliders of parameters end that the file gives no ends: by what they were at first. */
const firsts = new WeakMap<object, number[]>();

export function parametersSheet(studio: Host): Sheet {
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
