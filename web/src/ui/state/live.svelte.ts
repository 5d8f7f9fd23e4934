// The store as Svelte sees it: every getter is current, and asks for updates only while it is shown.
import { createSubscriber } from "svelte/reactivity";
import type { RobotHost, SimulationHost, StudioHost } from "../../store/hosts.ts";
import type { StudioEvents } from "../../store/types.ts";
import { lengthUnit, type LengthUnit } from "../quantities/format.ts";

type News = keyof StudioEvents;

/** Which news make a subject of the store current. */
const NEWS = {
  avatar: ["avatar"],
  backlash: ["backlash"],
  collisions: ["collisions"],
  condition: ["snapshot", "model", "numbers", "pose", "connection", "simulation"],
  connection: ["connection"],
  designs: ["design"],
  disk: ["disk"],
  draft: ["draft", "snapshot"],
  gauges: ["gauges"],
  ghosts: ["ghosts"],
  grabs: ["grabs"],
  maps: ["maps"],
  // the numbers of a model may change without another model
  model: ["model", "numbers", "snapshot"],
  overlay: ["overlay"],
  paths: ["path"],
  people: ["people"],
  pins: ["pins"],
  player: ["playback"],
  poses: ["model", "pose", "numbers"],
  programs: ["programs"],
  q: ["model", "pose"],
  readOnly: ["welcome"],
  recorder: ["recording"],
  robot: ["robot"],
  run: ["run", "model"],
  scene: ["objects", "snapshot"],
  selection: ["selection"],
  settings: ["settings"],
  simulation: ["simulation", "welcome"],
  snapshot: ["snapshot"],
  status: ["status"],
  trackers: ["trackers"],
  trouble: ["keeping"],
  wall: ["wall", "snapshot"],
  watchers: ["watchers"],
  welcome: ["welcome"],
  workspace: ["workspace"],
} as const satisfies { [K in keyof StudioHost]?: readonly News[] };

/** News that come with each picture: read-outs follow them more slowly. */
const FREQUENT: ReadonlySet<News> = new Set([
  "pose", "status", "gauges", "playback", "recording", "objects", "collisions", "path", "live",
  "run", "programs", "people", "avatar", "wall", "trackers", "hardware",
  "robotFrame",
]); // prettier-ignore

const ALL = new Set<News>([...Object.values(NEWS).flat(), "live", "hardware", "robotFrame"]);

/** Read-outs of the moving pose follow at most this often [ms]. */
const READ_OUT = 40;
const LONGEST = 240;

type Subjects = Pick<StudioHost, keyof typeof NEWS>;

/** The live simulation with its moving numbers, and what moves the robot by wire. */
interface MovingSimulation {
  readonly running: StudioHost["simulation"];
  readonly hardware: StudioHost["simulation"]["hardware"];
}
/** The real robot with what it measures. */
interface MovingRobot {
  readonly robotNow: StudioHost["robot"];
}
/** What every panel goes by. */
interface Everywhere {
  readonly readOnly: boolean;
  /** The unit lengths are shown in: the file's habit. */
  readonly length: LengthUnit;
}

/** All of it. */
export type Live = Subjects & MovingSimulation & MovingRobot & Everywhere;

/** What a part sees that names some subjects of the store: these, and no others. */
export type LiveOf<Host> = Pick<Live, keyof Subjects & keyof Host> &
  (Host extends SimulationHost ? MovingSimulation : unknown) &
  (Host extends RobotHost ? MovingRobot : unknown) &
  Everywhere;

export function liveOf(studio: StudioHost): Live {
  // made here: one that is made while a panel computes would not count for that panel
  const watches = Object.fromEntries([...ALL].map((news) => [news, subscriber(studio, news)]));
  const watch = (...news: readonly News[]): void => {
    for (const one of news) watches[one]();
  };
  const live = {
    get running() {
      watch("simulation", "live");
      return studio.simulation;
    },
    get hardware() {
      watch("simulation", "hardware");
      return studio.simulation.hardware;
    },
    get robotNow() {
      watch("robot", "robotFrame");
      return studio.robot;
    },
    get length(): LengthUnit {
      watch("snapshot");
      const { snapshot, model } = studio;
      return snapshot ? lengthUnit(snapshot.text, model?.size ?? 1) : "mm";
    },
  };
  for (const [subject, news] of Object.entries(NEWS))
    Object.defineProperty(live, subject, {
      get: () => {
        watch(...news);
        return studio[subject as keyof Subjects];
      },
    });
  return live as Live;
}

function subscriber(studio: StudioHost, news: News): () => void {
  return createSubscriber((update) =>
    FREQUENT.has(news)
      ? throttled(update, (go) => studio.on(news, go))
      : studio.on(news, () => update()),
  );
}

/** Subscribes so that many events make few updates, the last one always among them. */
function throttled(update: () => void, subscribe: (go: () => void) => () => void): () => void {
  let frame = 0;
  let last = 0;
  let before = 0;
  let interval = 0;
  const step = (now: number): void => {
    // where pictures come slowly, read-outs come more slowly still: the picture goes first
    if (now - before < 500) interval += 0.3 * (now - before - interval);
    before = now;
    const wait = Math.min(LONGEST, Math.max(READ_OUT, 2.5 * interval));
    if (now - last < wait && now > last) frame = requestAnimationFrame(step);
    else {
      frame = 0;
      last = now;
      update();
    }
  };
  const off = subscribe(() => (frame ||= requestAnimationFrame(step)));
  return () => {
    cancelAnimationFrame(frame);
    off();
  };
}
