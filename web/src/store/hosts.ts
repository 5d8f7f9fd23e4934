// What parts of the page may use of its centre, by subject: each part asks for what it needs.
import type { HandleSpec, SolveReport, Vec3 } from "../kernel/dragger.ts";
import type { Kernels } from "../kernel/kernels.ts";
import type { PageModel } from "../kernel/page-model.ts";
import type {
  ConflictData,
  MotionData,
  Notice,
  Snapshot,
  Watchers,
  Welcome,
} from "../wire/messages.ts";
import type { Shared } from "../wire/share.ts";
import type { Connection } from "../wire/socket.ts";
import type { LiveAvatar } from "./avatar/avatar.ts";
import type { Designs } from "./design/design.ts";
import type { Emitter } from "./emitter.ts";
import type { Player } from "./motion/player.ts";
import type { Recorder } from "./motion/recorder.ts";
import type { Run } from "./motion/run.ts";
import type { People } from "./people.ts";
import type { Programs } from "./programs/programs.ts";
import type { Paths } from "./path/paths.ts";
import type { Collisions } from "./pose/collisions.ts";
import type { Condition } from "./pose/condition.ts";
import type { NumberChange } from "./pose/live-numbers.ts";
import type { SingularityMonitor } from "./pose/singularity-monitor.ts";
import type { Requests } from "./requests.ts";
import type { RealRobot } from "./robot/robot.ts";
import type { Scene } from "./scene.ts";
import type { Settings } from "./settings.ts";
import type { Simulation } from "./simulation/simulation.ts";
import type { Draft } from "./text/draft.ts";
import type {
  ConnectionState,
  DragStatus,
  Gauges,
  Ghost,
  Grab,
  OverlayData,
  PoseSource,
  Selection,
  StudioEvents,
} from "./types.ts";
import type { Backlash } from "./workspace/backlash.ts";
import type { JointMaps } from "./workspace/joint-maps.ts";
import type { Trackers } from "./trackers.ts";
import type { Wall } from "./wall.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** News. */
export interface EventHost {
  readonly on: Emitter<StudioEvents>["on"];
  readonly onAny: Emitter<StudioEvents>["onAny"];
  readonly emit: Emitter<StudioEvents>["emit"];
}

/** The mechanism, and where it stands. */
export interface ModelHost extends EventHost {
  /** As the studio last sent it. */
  readonly snapshot: Snapshot | null;
  readonly model: PageModel | null;
  readonly q: Float64Array;
  /** Of all sites at q: 7 numbers each. */
  readonly poses: Float64Array;
  readonly kernels: Kernels;
  /** [s] */
  readonly clock: () => number;
  /** The model; throws where there is none yet. */
  must(): PageModel;
}

/** Moving it. */
export interface PoseHost extends ModelHost {
  /** Whether it goes somewhere by itself. */
  readonly isAnimating: boolean;
  /** Shows a pose; loops are taken to be closed. */
  setPose(q: Float64Array, source: PoseSource): void;
  /** Makes the present pose a step of undo. */
  commitPose(label: string): void;
  /** Goes to a pose by the straight way of every joint, at bounded speed; false: no such way. */
  moveTo(q: Float64Array, label: string): boolean;
  /** Follows closed poses at bounded speed, then makes the last a step of undo. */
  follow(
    poses: readonly Float64Array[],
    source: PoseSource,
    label: string,
    arrived?: () => void,
  ): void;
  /** Puts the mechanism back to the file's start. */
  home(): void;
  /** Brings a joint's variable to a value [rad, m], or as near as it gets. */
  setVariable(
    joint: number,
    variable: number,
    value: number,
    source?: PoseSource,
    show?: (value: number) => string,
  ): SolveReport;
  /** Ends what moves by itself, and lets go. */
  rest(): void;
  /** Reports to the studio where the mechanism is. */
  report(isFinal: boolean): void;
}

/** Grabbing and pinning, and what came of it. */
export interface DragHost {
  readonly grabs: readonly Grab[];
  readonly pins: readonly HandleSpec[];
  readonly status: DragStatus | null;
  /** How things stand: what every part of the page shows. */
  readonly condition: Condition;
  /** Which bodies touch, and what drags avoid. */
  readonly collisions: Collisions;
  /** Takes hold of a site; several at once are solved together. */
  grab(spec: HandleSpec): Grab;
  /** Holds a site where it is: its place, or with `rotation` its whole pose. */
  pin(site: number, point?: Vec3, rotation?: boolean): void;
  unpin(index: number): void;
  setStatus(status: DragStatus | null): void;
  /** One tick of whatever moves: call it once per frame; also at once after a grab has moved. */
  tick(now?: number): boolean;
  /** Whether something moves by itself, so that it needs ticks; else events say when. */
  readonly isMoving: boolean;
}

/** Changing numbers of the mechanism. */
export interface NumberHost {
  /** What was changed here and is not yet in the text. */
  readonly pendingNumbers: readonly NumberChange[];
  /** Changes a parameter at once, here; `commitNumbers` writes it into the text. */
  setParameter(name: string, value: number): boolean;
  /** Changes a number of a joint or frame at once. False: refused, the status says why. */
  setNumber(owner: string, key: string, value: number): boolean;
  /** Writes the numbers that were changed into the text, as one step of undo. */
  commitNumbers(label: string): Promise<void>;
}

/** What the user chose. */
export interface ChoiceHost {
  readonly settings: Settings;
  readonly selection: Selection | null;
  readonly overlay: OverlayData;
  setSetting<K extends keyof Settings>(key: K, value: Settings[K]): void;
  select(selection: Selection | null): void;
  setOverlay(change: Partial<OverlayData>): void;
}

/** Words for the user, and who may change something. */
export interface NoticeHost {
  /** Whether this page only watches. */
  readonly readOnly: boolean;
  notice(level: Notice["level"], message: string): void;
  /** Says so and returns true where this page only watches. */
  refuseIfWatching(): boolean;
}

/** What the studio is asked. */
export type RequestHost = Omit<Requests, "q" | "link" | "draft">;

/** The connection to the studio, and who else is there. */
export interface ConnectionHost {
  readonly link: Connection | null;
  readonly connection: ConnectionState;
  readonly welcome: Welcome | null;
  readonly watchers: Watchers | null;
}

/** The text, and the file behind it. */
export interface TextHost {
  /** What others wrote into the session's file, and somebody has to choose about. */
  readonly disk: ConflictData | null;
  /** Why changes do not reach the studio's disk. */
  readonly trouble: string | null;
  readonly draft: Draft;
  save(file: string, overwrite?: string | null): Promise<void>;
  takeFromDisk(version: string): Promise<void>;
  dismiss(session: string): Promise<void>;
  takeSnapshot(snapshot: Snapshot): void;
  /** What a link to the present state holds; null without a mechanism. */
  shared(): Shared | null;
}

/** Singular poses nearby. */
export interface SingularHost {
  readonly singularity: SingularityMonitor;
  readonly ghosts: readonly Ghost[];
  readonly gauges: Gauges | null;
}

/** Motions: recorded, played, run by motors. */
export interface MotionHost {
  readonly recorder: Recorder;
  readonly player: Player;
  /** Motors that run by themselves, in the page. */
  readonly run: Run;
  startRecording(name?: string): void;
  /** Ends the recording and puts it into the player. */
  stopRecording(): MotionData | null;
}

export interface SimulationHost {
  readonly simulation: Simulation;
}

export interface RobotHost {
  /** The real robot. */
  readonly robot: RealRobot;
}

export interface SceneHost {
  readonly scene: Scene;
}

/** Where it can go. */
export interface WorkspaceHost {
  readonly workspace: Workspace;
}

/** The joint-space map. */
export interface MapHost {
  readonly maps: JointMaps;
}

/** What backlash does to the tool. */
export interface BacklashHost {
  readonly backlash: Backlash;
}

/** Design by goal. */
export interface DesignHost {
  readonly designs: Designs;
}

/** The path in hand. */
export interface PathHost {
  readonly paths: Paths;
}

/** Python programs in the session. */
export interface ProgramHost {
  readonly programs: Programs;
}

/** Who else is in the session, and where. */
export interface PeopleHost {
  readonly people: People;
}

/** The avatar of this page's user, carved from cameras. */
export interface AvatarHost {
  readonly avatar: LiveAvatar;
}

/** Trackers whose poses the studio receives. */
export interface TrackerHost {
  readonly trackers: Trackers;
}

/** Screens of a room that show the mechanism together. */
export interface WallHost {
  readonly wall: Wall;
}

/** What devices move. */
export type DeviceHost = PoseHost &
  DragHost &
  NumberHost &
  ChoiceHost &
  NoticeHost &
  SingularHost &
  SimulationHost &
  TrackerHost;

/** What can be drawn and touched: the viewer has it all, to give each of its parts its own. */
export interface ViewHost
  extends
    PoseHost,
    DragHost,
    ChoiceHost,
    NoticeHost,
    SingularHost,
    MotionHost,
    SimulationHost,
    SceneHost,
    RobotHost,
    ProgramHost,
    PeopleHost,
    AvatarHost,
    WallHost,
    TrackerHost,
    WorkspaceHost,
    MapHost,
    BacklashHost,
    DesignHost,
    PathHost {}

/** The whole of it, for where the page is put together; every part names the subjects it uses. */
export interface StudioHost extends ViewHost, NumberHost, ConnectionHost, TextHost, RequestHost {}

/** What comes from the studio, and who stores it. */
export type SessionOwner = StudioHost & {
  snapshot: Snapshot | null;
  model: PageModel | null;
  q: Float64Array;
  poses: Float64Array;
  readOnly: boolean;
  connection: ConnectionState;
  welcome: Welcome | null;
  watchers: Watchers | null;
  disk: ConflictData | null;
  trouble: string | null;
  setFiles(files: string[]): void;
};
