// The sheet of a simulation or world: run, taken back in time, pulled at, and its surroundings.
import { sentence } from "../../kernel/reasons.ts";
import type {
  PoseHost,
  NoticeHost,
  ConnectionHost,
  SimulationHost,
  TrackerHost,
} from "../../store/hosts.ts";
import { FORCE_TYPES } from "../../store/simulation/force-devices.ts";
import type { SimulationSettings } from "../../store/simulation/settings.ts";
import { forceText } from "../../view/units.ts";
import type { ButtonItem, Row, Sheet, SliderRow } from "./rows.ts";
import { buttons, said, words } from "./sheet-rows.ts";

type Host = PoseHost & NoticeHost & ConnectionHost & SimulationHost & TrackerHost;

/** What gravity can be: as the file says, none, or chosen here [m/s², downwards]. */
const GRAVITIES: readonly [string, number | "file" | "none"][] = [
  ["As the file", "file"],
  ["Earth", 9.81],
  ["Moon", 1.62],
  ["None", "none"],
];
/** Most gravity along an axis [m/s²]. */
const MOST_GRAVITY = 20;
const AXES = ["x", "y", "z"] as const;
/** Ends of the sliders: powers of ten. */
const FIRMNESS = [-1, 2] as const;
const SPEED = [-2, Math.log10(4)] as const;
const MOST_DAMPING = 3;

/** The run itself on the first page; engine and surroundings on the second. */
export function forcesSheet(studio: Host): Sheet {
  const rows = runRows(studio);
  return {
    title: "Forces",
    rows: [...rows, ...surroundingRows(studio)],
    breaks: [rows.length],
  };
}

function runRows(studio: Host): Row[] {
  const { simulation, readOnly } = studio;
  const { isOn, isRunning, frame, error, settings } = simulation;
  const isOff = readOnly || simulation.busy;
  const rows: Row[] = [
    buttons(
      {
        label: isRunning ? "Pause" : isOn ? "Continue" : "Simulate",
        isOff,
        run: () => said(studio, simulation.toggle()),
      },
      { label: "Step", isOff: isOff || isRunning, run: () => said(studio, simulation.step()) },
      { label: "Reset", isOff: isOff || !isOn, run: () => said(studio, simulation.reset()) },
      { label: "End", isOff: isOff || !isOn, run: () => said(studio, simulation.end()) },
    ),
    ...timeRows(studio),
    buttons(...handItems(studio), flag(studio, "Keep orientation", "whole")),
    scaled(studio, "Stiffness", "firmness", FIRMNESS),
    {
      ...{ kind: "slider", label: "Damping", value: settings.damping, min: 0, max: MOST_DAMPING },
      text: times(settings.damping),
      ...change(studio, "damping", (value) => value),
    },
    speedRow(studio),
  ];
  if (error) rows.push(words(sentence(error), "danger"));
  if (frame && isOn) {
    const contacts = `${frame.contacts} ${frame.contacts === 1 ? "contact" : "contacts"}`;
    rows.push(
      words(
        `${frame.time.toFixed(2)} s · ${forceText(simulation.force)} in the hand · ${contacts}`,
      ),
    );
  } else rows.push(words("Simulate, then grab a part: it pulls back.", "soft"));
  return rows;
}

/** The time line of a world: back to whatever moment has passed. */
function timeRows(studio: Host): Row[] {
  const { simulation } = studio;
  const { frame, isOn } = simulation;
  if (!isOn || !frame || !(frame.recorded > frame.recorded_from)) return [];
  const text = `${frame.time.toFixed(2)} s`;
  return [
    {
      ...{ kind: "slider", label: "Time", value: frame.time, text },
      ...{ min: frame.recorded_from, max: frame.recorded },
      set: (time) => void simulation.world.goTo(time),
      commit: () => studio.commitPose(`Go to ${(simulation.frame?.time ?? 0).toFixed(2)} s`),
    },
  ];
}

function surroundingRows(studio: Host): Row[] {
  const { simulation, readOnly, snapshot } = studio;
  const { settings, world, isReplay } = simulation;
  const isOff = readOnly || simulation.busy;
  const [gx, gy, gz] = settings.own;
  const rows: Row[] = [
    words("Gravity", "soft"),
    buttons(
      ...GRAVITIES.map(([label, value]): ButtonItem => {
        const isOwn = typeof value === "number";
        const change: Partial<SimulationSettings> = isOwn
          ? { gravity: "own", own: [0, 0, -value] }
          : { gravity: value };
        const isOn = isOwn
          ? settings.gravity === "own" && Math.hypot(gx, gy, gz + value) < 1e-6
          : settings.gravity === value;
        return { label, isOn, isOff, run: () => said(studio, simulation.set(change)) };
      }),
    ),
    ...(settings.gravity === "own" ? AXES.map((axis, i) => gravityRow(studio, axis, i)) : []),
    buttons(
      flag(studio, "Motors hold", "hold"),
      flag(studio, "Floor", "floor"),
      flag(studio, "Objects", "objects"),
    ),
    buttons(
      ...(studio.welcome?.engines ?? []).map(({ name, title }) => ({
        ...{ label: title, isOn: settings.engine === name, isOff },
        run: () => said(studio, simulation.set({ engine: name })),
      })),
    ),
  ];
  if (snapshot?.world && !isReplay) {
    const { isLogging, log } = world;
    const label = isLogging ? "Save the log" : "Record a log";
    rows.push(
      buttons({
        label,
        isOn: isLogging,
        isOff,
        run: () => said(studio, world.writeLog(!isLogging)),
      }),
    );
    if (log && log.end !== null) rows.push(words(`${log.file} is in the project folder.`, "soft"));
  }
  return [...rows, ...deviceRows(studio)];
}

/** Gravity along an axis of the world. */
function gravityRow(studio: Host, axis: string, i: number): SliderRow {
  const { simulation } = studio;
  const { settings } = simulation;
  const value = settings.own[i]!;
  return {
    ...{ kind: "slider", label: `Gravity ${axis}`, value, text: `${value.toFixed(1)} m/s²` },
    ...{ min: -MOST_GRAVITY, max: MOST_GRAVITY },
    set: (next) => {
      const own: SimulationSettings["own"] = [...settings.own];
      own[i] = Number(next.toFixed(1));
      simulation.settings = { ...simulation.settings, own };
    },
    commit: () => said(studio, simulation.set({ own: simulation.settings.own })),
  };
}

/** Force devices and trackers of the file: on or off, and what is wrong with them. */
function deviceRows({ simulation, snapshot, readOnly, trackers }: Host): Row[] {
  const { devices, settings, busy } = simulation;
  const declared = snapshot?.devices ?? [];
  const forces = declared.filter(({ type }) => FORCE_TYPES.includes(type));
  const tracked = declared.filter(({ type, port }) => type === "tracker" && port);
  const state = (text: string): Row[] => (text ? [words(text, "soft")] : []);
  return [
    ...forces.flatMap(({ name }) => [
      buttons({
        ...{ label: `Force device ${name}`, isOn: settings.devices.includes(name) },
        isOff: readOnly || busy,
        run: () => void devices.toggle(name),
      }),
      ...state(devices.wordsOf(name)),
    ]),
    ...tracked.flatMap(({ name }) => [
      buttons({
        ...{ label: `Tracker ${name}`, isOn: trackers.on.has(name) },
        isOff: readOnly,
        run: () => void trackers.toggle(name),
      }),
      ...state(trackers.wordsOf(name)),
    ]),
  ];
}

/** Whether hands hold parts or press on them. */
export const handItems = ({ simulation }: Host): ButtonItem[] => [
  { label: "Pull", isOn: simulation.mode === "pull", run: () => simulation.setMode("pull") },
  { label: "Push", isOn: simulation.mode === "push", run: () => simulation.setMode("push") },
];

/** Simulated seconds per second. */
export const speedRow = (studio: Host): Row => scaled(studio, "Speed", "speed", SPEED);

const times = (x: number): string => `${Number(x.toPrecision(2))} ×`;

type Flag = "hold" | "floor" | "objects" | "whole";

function flag(studio: Host, label: string, key: Flag): ButtonItem {
  const { simulation } = studio;
  const isOn = simulation.settings[key];
  return {
    ...{ label, isOn, isOff: studio.readOnly },
    run: () => said(studio, simulation.set({ [key]: !isOn })),
  };
}

/** A slider of powers of ten. */
function scaled(
  studio: Host,
  label: string,
  key: "firmness" | "speed",
  [min, max]: readonly [number, number],
): SliderRow {
  const value = studio.simulation.settings[key];
  return {
    ...{ kind: "slider", label, value: Math.log10(value), min, max, text: times(value) },
    ...change(studio, key, (power) => Number((10 ** power).toPrecision(2))),
  };
}

/** Shown at once; what runs gets it when the slider is let go. */
function change(
  studio: Host,
  key: "firmness" | "speed" | "damping",
  of: (value: number) => number,
): Pick<SliderRow, "set" | "commit"> {
  const { simulation } = studio;
  return {
    set: (value) => void (simulation.settings = { ...simulation.settings, [key]: of(value) }),
    commit: () => said(studio, simulation.set({ [key]: simulation.settings[key] })),
  };
}
