// What the store reports to the rest of the page, and its types.
import type { HandleSpec, SolveReport, Target, Vec3 } from "../kernel/dragger.ts";
import type { PageModel } from "../kernel/page-model.ts";
import type { HandleResidual, HeldLimit } from "../kernel/reasons.ts";
import type {
  ConflictData,
  Notice,
  Progress,
  Snapshot,
  Watchers,
  Welcome,
} from "../wire/messages.ts";
import type { LiveAvatar } from "./avatar/avatar.ts";
import type { People } from "./people.ts";
import type { Trackers } from "./trackers.ts";
import type { Wall } from "./wall.ts";
import type { Draft } from "./text/draft.ts";
import type { Designs } from "./design/design.ts";
import type { JointMaps } from "./workspace/joint-maps.ts";
import type { Backlash } from "./workspace/backlash.ts";
import type { PictureRequest, Programs } from "./programs/programs.ts";
import type { Paths } from "./path/paths.ts";
import type { Collisions } from "./pose/collisions.ts";
import type { Player } from "./motion/player.ts";
import type { Recorder } from "./motion/recorder.ts";
import type { Run } from "./motion/run.ts";
import type { Scene } from "./scene.ts";
import type { Settings } from "./settings.ts";
import type { RealRobot } from "./robot/robot.ts";
import type { Hardware } from "./simulation/hardware.ts";
import type { Simulation } from "./simulation/simulation.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** Who moved the mechanism. */
export type PoseSource =
  | "drag"
  | "slider"
  | "number"
  | "device"
  | "spring"
  | "play"
  | "run"
  | "robot"
  | "simulation"
  | "cross"
  | "snapshot"
  | "remote"
  | "set";

export interface Selection {
  kind: "link" | "joint" | "frame" | "object";
  index: number;
  /** Where it was touched, in the link's frame. */
  point?: Vec3;
}

/** Why the mechanism stands where it stands. */
export interface DragStatus {
  outcome: SolveReport["outcome"];
  /** One sentence: reached, or what stands in the way. */
  words: string;
  /** Joints that stand at a limit and would move beyond it. */
  limits: readonly HeldLimit[];
  /** What each handle lacks. */
  lacks: readonly HandleResidual[];
  /** The farthest that a handle is away from its target [m]. */
  distance: number;
  /** World place of the handle that lacks most: where to say it; null without handles. */
  at: readonly [number, number, number] | null;
  /** Where that handle should be. */
  target: readonly [number, number, number] | null;
  report: SolveReport;
}

/** How near both kinds of singular poses are: 0 is singular, 1 far; null where there is no such. */
export interface Gauges {
  /** The grabbed or chosen site cannot be moved in some direction. */
  task: number | null;
  /** The loops let a joint move though the motors hold. */
  gain: number | null;
  /** Which is near, if any. */
  near: "none" | "task" | "gain" | "both";
}

/** A translucent robot: the singular pose, or one beyond it. */
export interface Ghost {
  q: Float64Array;
  label: string;
  /** Index of the branch for `SingularityMonitor.cross`, null for the singular pose itself. */
  branch: number | null;
}

/** A part under suspicion in a diagnosis. */
export interface Suspect {
  joint: string;
  text: string;
}

/** What analyses found, for the overlays that show it. */
export interface OverlayData {
  /** Sites whose traces are drawn. */
  traces: readonly number[];
  suspects: readonly Suspect[];
  diagnosis: string | null;
  /** Free motions of the mechanism, scaled so that the largest share is 1. */
  freeMotions: readonly Float64Array[];
  /** Which of them is animated, null for none. */
  playing: number | null;
}

export interface Grab {
  readonly spec: HandleSpec;
  /** Until it is released. */
  readonly active: boolean;
  move(target: Target): void;
  /** Lets go; by default as the settings say. */
  release(mode?: "keep" | "spring"): void;
}

/** connecting: never open yet; lost: it was, and is tried again; offline: there is no server. */
export type ConnectionState = "connecting" | "open" | "lost" | "shut" | "offline";

export interface StudioEvents {
  /** Something waits for the next tick: a hand has moved, or a way begins. */
  stir: null;
  welcome: Welcome;
  snapshot: Snapshot;
  /** Another PageModel: build the links again. */
  model: PageModel | null;
  /** Lengths or limits have changed: shapes must be created again. */
  numbers: PageModel;
  /** The studio has made shapes for numbers that are not yet in the text. */
  shapes: PageModel;
  pose: PoseSource;
  selection: Selection | null;
  status: DragStatus | null;
  settings: Settings;
  connection: ConnectionState;
  watchers: Watchers;
  notice: Notice;
  /** The text that is typed was changed by somebody else, or collides with what they did. */
  draft: Draft;
  /** What others wrote into the session's file; null when all is well. */
  disk: ConflictData | null;
  /** Why changes do not reach the studio's disk; null when they do. */
  keeping: string | null;
  progress: Progress;
  pins: readonly HandleSpec[];
  grabs: readonly Grab[];
  recording: Recorder;
  playback: Player;
  ghosts: readonly Ghost[];
  gauges: Gauges | null;
  overlay: OverlayData;
  /** Which bodies touch, or what is known of them. */
  collisions: Collisions;
  /** Objects have moved, are taken or let go, or a way to one is proposed. */
  objects: Scene;
  /** The path, where it stands on it, or what is drawn of it. */
  path: Paths;
  /** Where it can go: settings, results or what is shown of them. */
  workspace: Workspace;
  design: Designs;
  maps: JointMaps;
  backlash: Backlash;
  /** What runs by itself, or how. */
  run: Run;
  /** Orders, settings and hands of the simulation. */
  simulation: Simulation;
  /** A frame of the running simulation. */
  live: Simulation;
  /** Wires of the simulated robot, and what goes over them. */
  hardware: Hardware;
  /** The real robot: connected, on, stopped, what it does. */
  robot: RealRobot;
  /** What the real robot measures. */
  robotFrame: RealRobot;
  /** Others in the session: where they are, who came and went. */
  people: People;
  /** The avatar from cameras: another one, or how it goes. */
  avatar: LiveAvatar;
  wall: Wall;
  /** Trackers were switched on or off, or have moved. */
  trackers: Trackers;
  /** Programs in the session, and what they show. */
  programs: Programs;
  /** A program wants a picture of the view. */
  picture: PictureRequest;
}
