// Generated from src/kinegen/studio/wire/messages.py; do not edit.
// To make it again: make wire
/* eslint-disable */

export const SCHEMA = "c2d030f896c9";

/** One freedom of a joint. */
export interface VariableData {
  /** Such as 'theta' or 'r'. */
  name: string;
  quantity: "angle" | "length" | "number";
  motor: boolean;
  /** What its motor follows in a simulation. */
  mode?: "position" | "velocity" | "torque" | "computed";
}

/** A joint's place in the arrays, as in ``Model.joints``. */
export interface JointData {
  name: string;
  type: string;
  parent: number;
  child: number;
  /** First of its numbers in q. */
  q: number;
  nq: number;
  /** First of its freedoms in v. */
  v: number;
  nv: number;
  placement: number;
  is_cut: boolean;
  /** One per freedom; a spherical joint has none that a slider could move. */
  variables: VariableData[];
  /** False for joints of an included robot: their rows are in another file. */
  editable: boolean;
}

/** A loop: its cut joint, and the placement of the frame where that joint lands. */
export interface LoopData {
  joint: number;
  placement: number;
}

/** A named frame on a link. */
export interface FrameData {
  name: string;
  link: number;
  placement: number;
  editable: boolean;
}

/** A parameter: a slider when it is free, a read-out when it follows a formula. */
export interface ParameterData {
  name: string;
  /** For the kernels' ``kg_set_parameter``. */
  index: number;
  /** As written in the file. */
  text: string;
  /** Whether it follows other parameters. */
  formula: boolean;
  quantity: "angle" | "length" | "number";
  minimum: number | null;
  maximum: number | null;
  note: string | null;
}

/** A number of a joint or frame, such as ``d`` of joint B or ``closes.d`` of joint C. */
export interface NumberData {
  owner: string;
  key: string;
  /** For the kernels' ``kg_set_number``; its value is ``reals[index]``. */
  index: number;
  /** As written in the file, '' where it is left out. */
  text: string;
  /** Whether it follows parameters. */
  formula: boolean;
  quantity: "angle" | "length" | "number";
}

/** A compiled model: the kernels' two blocks and the names that lead into them. */
export interface ModelData {
  name: string;
  /** int32, little endian, base64. */
  ints: string;
  /** float64, little endian, base64; parameters, numbers and transforms as they are now. */
  reals: string;
  /** The file's starting q, loops closed where they can be. */
  start: number[];
  links: string[];
  /** Per link as in the file, numbers worked out: 'auto', 'none', a mesh file, a mapping, … */
  link_shapes: any[];
  link_colors: (string | null)[];
  joints: JointData[];
  loops: LoopData[];
  frames: FrameData[];
  parameters: ParameterData[];
  numbers: NumberData[];
  /** Whether everything moves in one plane, so that a 2D view makes sense. */
  planar: boolean;
}

/** A free object of the scene. */
export interface ObjectData {
  name: string;
  shape: any;
  /** Quaternion wxyz, then xyz [m]. */
  pose: number[];
  color: string | null;
  fixed: boolean;
}

/** An input device declared in the file. */
export interface DeviceData {
  name: string;
  type: string;
  /** Frames, links, joints or parameters. */
  moves: string[];
  mode: "absolute" | "incremental";
  scale: number;
  rotation_scale: number;
  axes: Record<string, any>;
}

/** A recorded motion: a table of joint values over time. */
export interface MotionData {
  name: string;
  joints: string[];
  /** [s] */
  times: number[];
  /** One row per time, the numbers of the joints in order. */
  values: number[][];
  interpolation: "linear" | "cubic";
  note: string | null;
}

/** Something wrong in the text, and what would be right. */
export interface ProblemData {
  /** From 1; 0 where it belongs to no place. */
  line: number;
  /** From 1. */
  column: number;
  message: string;
}

/** A ready mechanism. */
export interface LibraryEntry {
  name: string;
  title: string;
  joints: number;
  loops: number;
  /** Heading it stands under: 'Linkages', 'Parallel robots', 'Arms', … */
  family: string;
  /** Its bars as an SVG path, in a field of 44 × 34. */
  figure: string;
}

/** An engine that can simulate, a plug-in's too. */
export interface EngineData {
  name: string;
  title: string;
  /** One line on what it is good for. */
  note: string;
  /** Whether it lets bodies touch each other and the floor. */
  touches: boolean;
  /** Whether every joint opens a little in its steps, not loops alone. */
  opens_joints: boolean;
}

/** Work of a session that ended without being saved. */
export interface RecoveredData {
  session: string;
  name: string;
  /** [s since 1970] */
  saved_at: number;
  file: string | null;
}

/** The first answer: who you are and what is there. */
export interface Welcome {
  kind: "welcome";
  /** Hash of these messages; a page built from others must be reloaded. */
  schema: string;
  version: string;
  client: number;
  session: string;
  /** Proves, in a later `Hello`, that this page may change the session; None for watchers. */
  secret: string | null;
  read_only: boolean;
  library: LibraryEntry[];
  engines: EngineData[];
  /** Of files that can be opened, with the dot. */
  suffixes: string[];
  /** RAFF files of the project folder, by path. */
  files: string[];
  /** Name of the project folder. */
  folder: string;
  recovered: RecoveredData[];
  /** Path and query under which others can watch this session. */
  watch_link: string;
}

/** All of a session that is not the pose: replaces what the page had. */
export interface Snapshot {
  kind: "snapshot";
  /** Grows with every change. */
  version: number;
  /** Client whose message caused it, 0 for the studio itself. */
  author: number;
  text: string;
  /** Path in the project folder, None where it was never saved. */
  file: string | null;
  dirty: boolean;
  title: string;
  description: string;
  /** Of the last text without problems. */
  model: ModelData;
  q: number[];
  /** Whether the page must take over q; else it keeps its own pose. */
  pose_changed: boolean;
  problems: ProblemData[];
  /** Why the loops of this model cannot be closed, in words; None where they can. */
  complaint: string | null;
  /** What undo would take back, in words; None where there is nothing. */
  undo: string | null;
  redo: string | null;
  motions: MotionData[];
  objects: ObjectData[];
  devices: DeviceData[];
}

/** What somebody else made of the text that the page has. */
export interface ConflictData {
  /** In the file, or in the session by another page. */
  where: "disk" | "session";
  file: string | null;
  /** The other text; None where the file is gone, or is no text. */
  theirs: string | null;
  /** Names it: sent back to replace it, or to take it over, knowingly. */
  version: string;
}

/** A request was not carried out; nothing has changed. */
export interface Refused {
  kind: "refused";
  request: number;
  message: string;
  /** Why, where somebody else was faster: the user has to choose. */
  conflict?: ConflictData | null;
}

/** Whether the session's file holds something that neither was read nor written here. */
export interface Disk {
  kind: "disk";
  conflict: ConflictData | null;
}

/** RAFF files of the project folder, by path, after some appeared or went. */
export interface Files {
  kind: "files";
  files: string[];
}

/** Something to tell the user. */
export interface Notice {
  kind: "notice";
  level: "info" | "warning" | "error";
  message: string;
}

/** Whether changes reach the disk; shown until it is well again. */
export interface Keeping {
  kind: "keeping";
  /** Why they do not, None when they do. */
  trouble: string | null;
}

/** How far a long piece of work is. */
export interface Progress {
  kind: "progress";
  request: number;
  label: string;
  /** 0 … 1, None where it cannot be told. */
  share: number | null;
}

/** A request was carried out. */
export interface Done {
  kind: "done";
  request: number;
  /** What was asked for, as the request describes it; null where nothing was. */
  result: any;
}

/** Who else is in the session. */
export interface Watchers {
  kind: "watchers";
  count: number;
  /** Client that moves the mechanism now, 0 for nobody. */
  driver: number;
}

/** How the live simulation of the session stands; its numbers come as binary frames. */
export interface Simulation {
  kind: "simulation";
  /** 'stopped': it ended by itself, for the reason given. */
  phase: "off" | "starting" | "running" | "paused" | "stopped";
  reason: string;
  /** As in ``LiveSettings``. */
  settings: Record<string, any>;
  /** What is doubtful about the mechanism's masses. */
  remarks: string[];
  /** Objects of the scene that move by themselves, in the order of the frames. */
  objects: string[];
  /** Client that gets the frames, 0 for nobody; others follow by poses. */
  owner: number;
  /** Of a motion that is followed, what it would hit: ``distance`` [m] or None, ``link``, ``object``, and the times ``from`` and ``to`` [s] or None. */
  plan?: Record<string, any> | null;
  /** Why forces in the joints cannot be told, in words; '' where they can. */
  unknown?: string;
}

/** The first message. */
export interface Hello {
  kind: "hello";
  schema: string;
  /** Session to continue with after a lost connection, or to watch; None for a new one. */
  session: string | null;
  /** Proves that this page may change the session; without it, it watches. */
  secret: string | null;
  /** Session whose unsaved work to take over. */
  recover?: string | null;
  /** Library name or file to begin with. */
  open?: string | null;
}

/** Throw away the unsaved work of a session that `Welcome.recovered` lists. */
export interface Dismiss {
  kind: "dismiss";
  request: number;
  session: string;
}

/** Load a mechanism: a library name, a file of the project folder, or a text. */
export interface OpenMechanism {
  kind: "open";
  request: number;
  source: "library" | "file" | "text";
  value: string;
  q?: number[] | null;
  /** For a text: the name of the file it comes from. Files of other formats become RAFF. */
  name?: string;
}

/** The whole text as it is in the editor now. */
export interface EditText {
  kind: "edit_text";
  request: number;
  text: string;
  /** Version of the snapshot whose text it was made from; what others changed since is merged, or the edit refused with a conflict. None: that of this page's own last change. */
  base?: number | null;
}

/** Numbers of parameters, joints and frames, set in the text: one step of undo. */
export interface SetNumbers {
  kind: "set_numbers";
  request: number;
  /** (owner or None for a parameter, key, value [SI] or formula). */
  changes: ([string | null, string, number | string])[];
  label?: string;
}

/** A change of structure, as the methods of ``Mechanism`` do it. */
export interface EditStructure {
  kind: "edit_structure";
  request: number;
  verb: "add_joint" | "remove_joint" | "add_frame" | "remove_frame" | "add_parameter" | "remove_parameter" | "rename" | "rename_parameter" | "set_value" | "set_section" | "write_pose";
  arguments: Record<string, any>;
}

/** The pose where a drag, slider or replay ended: one step of undo. */
export interface CommitPose {
  kind: "commit_pose";
  request: number;
  q: number[];
  label: string;
  /** Of the snapshot that it belongs to: poses of what was open before come too late. */
  version?: number | null;
}

/** Take back the last step. */
export interface Undo {
  kind: "undo";
  request: number;
}

/** Do again what was taken back. */
export interface Redo {
  kind: "redo";
  request: number;
}

/** Write the text to a file of the project folder. */
export interface Save {
  kind: "save";
  request: number;
  file: string;
  /** Version of a file with other content that is to be replaced, as `ConflictData` names it. */
  overwrite?: string | null;
}

/** Take over the text of the session's file as it is on disk: one step of undo. */
export interface TakeFromDisk {
  kind: "take_from_disk";
  request: number;
  /** As `ConflictData` names it; refused when it has changed again. */
  version: string;
}

/** Keep a motion in the mechanism's text, in place of one of the same name. */
export interface StoreMotion {
  kind: "store_motion";
  request: number;
  motion: MotionData;
}

/** Remove, rename, trim, smooth or resample a stored motion. */
export interface ChangeMotion {
  kind: "change_motion";
  request: number;
  name: string;
  verb: "remove" | "rename" | "trim" | "smooth" | "resample" | "speed";
  arguments?: Record<string, any>;
}

/** Part of a recording in progress, so that a lost page loses nothing. */
export interface RecordSamples {
  kind: "record_samples";
  name: string;
  start: boolean;
  times: number[];
  values: number[][];
}

/** Make a file for download, such as page, gltf, csv, json, svg or raff. */
export interface Export {
  kind: "export";
  request: number;
  format: string;
  q: number[];
  motion?: string | null;
}

/** Work that the studio does for the page. */
export interface Analyse {
  kind: "analyse";
  request: number;
  what: "mobility" | "diagnosis" | "modes" | "branches_beyond" | "solve" | "solve_all" | "matrices" | "grasp" | "cloud" | "zone" | "boundary" | "joint_map" | "backlash" | "path" | "design";
  q: number[];
  arguments?: Record<string, any>;
}

/** An order to the live simulation; 'start' makes one, with settings, at a pose. */
export interface Simulate {
  kind: "simulate";
  request: number;
  verb: "start" | "play" | "pause" | "step" | "set" | "undo" | "end";
  /** For start and set: as in ``LiveSettings``. */
  settings?: Record<string, any>;
  q?: number[] | null;
  /** For start: whether it runs at once. */
  run?: boolean;
  /** For step. */
  count?: number;
}

/** A hand on the running simulation: takes hold or has moved; no answer. */
export interface Touch {
  kind: "touch";
  /** The page's number for it. */
  hand: number;
  /** Link, frame or object. */
  site: string;
  /** In its axes [m]. */
  point: [number, number, number];
  /** Where the hand or the tip is [m]. */
  target: [number, number, number];
  /** Of the surface, world axes: a push; None: a pull. */
  normal?: [number, number, number] | null;
  /** How the site should be turned, wxyz: a pull that holds the whole pose; None: its place. */
  quat?: [number, number, number, number] | null;
}

/** A hand lets go of the running simulation; no answer. */
export interface Release {
  kind: "release";
  hand: number;
}

/** Where a motor of the running simulation should be, how fast or how hard; no answer. */
export interface SetTarget {
  kind: "set_target";
  joint: string;
  /** Numbers of q for a position [rad, m], of v else [rad/s, m/s; N m, N]. */
  values: number[];
  what?: "position" | "velocity" | "effort";
}

/** Stop a request that is still at work. */
export interface Cancel {
  kind: "cancel";
  request: number;
}

export type ToPage = Welcome | Snapshot | Refused | Disk | Files | Notice | Keeping | Progress | Done | Watchers | Simulation;
export type FromPage = Hello | Dismiss | OpenMechanism | EditText | SetNumbers | EditStructure | CommitPose | Undo | Redo | Save | TakeFromDisk | StoreMotion | ChangeMotion | RecordSamples | Export | Analyse | Simulate | Touch | Release | SetTarget | Cancel;
