// What a simulation runs with: the panel's settings, and how the studio gets them.
import type { LiveSettings, VariableData } from "../../wire/messages.ts";

export type MotorMode = VariableData["mode"];

/** What a simulation runs with, as the panel has it. */
export interface SimulationSettings {
  /** Its name, one of those that the studio welcomed the page with. */
  engine: string;
  /** [s] */
  step: number;
  gravity: "file" | "none" | "own";
  /** [m/s²], when it is one's own. */
  own: [number, number, number];
  floor: boolean;
  objects: boolean;
  hold: boolean;
  /** Modes of motors by joint name, where not as in the file. */
  modes: Record<string, MotorMode>;
  /** Simulated seconds per second. */
  speed: number;
  firmness: number;
  damping: number;
  /** Whether hands that pull hold the whole pose: the part keeps its orientation. */
  whole: boolean;
  /** Stored motion to follow, if any. */
  motion: string | null;
  resume: "keep" | "rejoin" | "stop";
  /** Of all noise in a world; null: as in the file. */
  seed: number | null;
  /** A log of the project folder that is played instead; null: none. */
  log: string | null;
  /** Protocols by which other programs move the robot: 'feetech', 'rosbridge:9090'. */
  wires: readonly string[];
  /** Force devices of the file that are on, by name. */
  devices: readonly string[];
}

export const FIRST: SimulationSettings = {
  ...{ engine: "reduced", step: 1e-3, gravity: "file", own: [0, 0, -9.81], floor: false },
  ...{ objects: false, hold: false, modes: {}, speed: 1, firmness: 1, damping: 1, whole: false },
  ...{ motion: null, resume: "rejoin", seed: null, log: null, wires: [], devices: [] },
};

/** What runs, started by another page, as the panel has it; `own` is what only this page decides. */
export function settingsOf(state: LiveSettings, own: SimulationSettings): SimulationSettings {
  const { engine, step, gravity, floor, objects, hold, modes, speed, firmness, damping } = {
    ...FIRST,
    gravity: null,
    floor: null,
    ...state,
  };
  const { motion, resume, seed, log, wires, devices } = { ...FIRST, ...state };
  const isNone = gravity?.every((part) => part === 0);
  return {
    ...{ engine, step, objects, hold, modes, speed, firmness, damping },
    gravity: gravity === null ? "file" : isNone ? "none" : "own",
    own: gravity === null || isNone ? own.own : [...gravity],
    floor: floor !== null,
    whole: own.whole,
    ...{ motion, resume, seed, log, wires: [...wires], devices: [...devices] },
  };
}

/** The settings as the studio takes them; `more` is what the panel does not decide. */
export function wireSettings(
  settings: SimulationSettings,
  more: { ground: number; reactions: boolean; pictures: readonly string[] },
): LiveSettings {
  const { engine, step, gravity, own, floor, objects, hold, modes, speed } = settings;
  const { firmness, damping, motion, resume, seed, log, wires, devices } = settings;
  return {
    ...{ engine, step, objects, hold: hold && motion === null, modes, speed, firmness, damping },
    gravity: gravity === "file" ? null : gravity === "none" ? [0, 0, 0] : own,
    floor: floor ? more.ground : null,
    reactions: more.reactions,
    ...{ motion, resume, seed, log, pictures: [...more.pictures], wires: [...wires] },
    devices: [...devices],
  };
}
