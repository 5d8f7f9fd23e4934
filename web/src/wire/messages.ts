// Generated from src/kinegen/studio/wire; do not edit.
// To make it again: make wire
/* eslint-disable */

export const SCHEMA = "3459f12e12b4";

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

/** One variable of a joint. */
export interface VariableData {
  /** Such as 'theta' or 'r'. */
  name: string;
  quantity: "angle" | "length" | "number";
  motor: boolean;
  /** What its motor follows in a simulation. */
  mode: "position" | "velocity" | "torque" | "computed";
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
  link_shapes: unknown[];
  link_colors: (string | null)[];
  joints: JointData[];
  loops: LoopData[];
  frames: FrameData[];
  parameters: ParameterData[];
  numbers: NumberData[];
  /** Whether everything moves in one plane, so that a 2D view makes sense. */
  planar: boolean;
}

/** Something wrong in the text, and what would be right. */
export interface ProblemData {
  /** From 1; 0 where it belongs to no place. */
  line: number;
  /** From 1. */
  column: number;
  message: string;
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

/** A free object of the scene. */
export interface ObjectData {
  name: string;
  shape: unknown;
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
  axes: Record<string, unknown>;
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
  conflict: ConflictData | null;
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
  /** 0 … 1, None where it is not known. */
  share: number | null;
}

/** A request was carried out. */
export interface Done {
  kind: "done";
  request: number;
  /** What was asked for; None where nothing was. */
  result: unknown | null;
}

/** Who else is in the session. */
export interface Watchers {
  kind: "watchers";
  count: number;
  /** Client that moves the mechanism now, 0 for nobody. */
  driver: number;
}

/** What a simulation runs with. */
export interface LiveSettings {
  engine?: string;
  /** [s] */
  step?: number;
  /** Instead of the file's [m/s²]. */
  gravity?: [number, number, number] | null;
  /** Height of a floor [m]; None: no floor. */
  floor?: number | null;
  /** Whether the scene's free objects take part. */
  objects?: boolean;
  /** Whether motors hold their targets. */
  hold?: boolean;
  /** Modes of motors by joint name, where not as in the file. */
  modes?: Record<string, "position" | "velocity" | "torque" | "computed">;
  /** Simulated seconds per second. */
  speed?: number;
  /** Stiffness of hands, as a multiple of what suits the mass that they feel. */
  firmness?: number;
  /** Damping of hands, as a share of what keeps them from swinging. */
  damping?: number;
  /** Whether forces in the joints are reported. */
  reactions?: boolean;
  /** Name of the stored motion that is followed, if any. */
  motion?: string | null;
  /** What comes after a hand has led it. */
  resume?: "keep" | "rejoin" | "stop";
}

/** What a planned motion would hit. */
export interface PlanCheck {
  /** To the nearest object [m], negative when it is hit; None: nothing is near. */
  distance: number | null;
  link: string;
  object: string;
  /** When it is hit first [s]; None: never. */
  start: number | null;
  /** When it is hit last [s]. */
  end: number | null;
}

/** How the live simulation of the session stands; its numbers come as binary frames. */
export interface Simulation {
  kind: "simulation";
  /** 'stopped': it ended by itself, for the reason given. */
  phase: "off" | "starting" | "running" | "paused" | "stopped";
  reason: string;
  settings: LiveSettings;
  /** What is doubtful about the mechanism's masses. */
  remarks: string[];
  /** Objects of the scene that move by themselves, in the order of the frames. */
  objects: string[];
  /** Client that gets the frames, 0 for nobody; others follow by poses. */
  owner: number;
  /** Of a motion that is followed; None where nothing is looked at. */
  plan: PlanCheck | null;
  /** Why forces in the joints cannot be told, in words; '' where they can. */
  unknown: string;
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

/** Add a joint, and the link that it moves. */
export interface AddJoint {
  kind: "add_joint";
  /** The page's number for the answer. */
  request: number;
  name: string;
  parent: string;
  /** Other keys of its row. */
  row?: Record<string, unknown>;
}

/** Remove a joint. */
export interface RemoveJoint {
  kind: "remove_joint";
  /** The page's number for the answer. */
  request: number;
  name: string;
}

/** Add a frame. */
export interface AddFrame {
  kind: "add_frame";
  /** The page's number for the answer. */
  request: number;
  name: string;
  parent: string;
  /** Other keys of its row. */
  row?: Record<string, unknown>;
}

/** Remove a frame. */
export interface RemoveFrame {
  kind: "remove_frame";
  /** The page's number for the answer. */
  request: number;
  name: string;
}

/** Add a parameter. */
export interface AddParameter {
  kind: "add_parameter";
  /** The page's number for the answer. */
  request: number;
  name: string;
  /** [SI] or a formula. */
  value: number | string;
}

/** Remove a parameter. */
export interface RemoveParameter {
  kind: "remove_parameter";
  /** The page's number for the answer. */
  request: number;
  name: string;
}

/** Give a joint or frame another name, wherever it is named. */
export interface Rename {
  kind: "rename";
  /** The page's number for the answer. */
  request: number;
  old: string;
  new: string;
}

/** Give a parameter another name, wherever it is named. */
export interface RenameParameter {
  kind: "rename_parameter";
  /** The page's number for the answer. */
  request: number;
  old: string;
  new: string;
}

/** Set a key of a joint's or frame's row; None removes it. */
export interface SetValue {
  kind: "set_value";
  /** The page's number for the answer. */
  request: number;
  owner: string;
  key: string;
  value: unknown;
}

/** Set one entry of a section by its name, add it where there is none, or remove it. */
export interface SetSection {
  kind: "set_section";
  /** The page's number for the answer. */
  request: number;
  section: "objects" | "devices" | "motions" | "sensors" | "agents" | "robots";
  /** It replaces the one of its ``name``; with ``remove: true`` it goes; with ``update: true`` null removes a key, and keys that are not given stay unchanged. */
  entry: Record<string, unknown>;
  /** What undo calls it. */
  label?: string;
}

/** Make a pose the start of the file. */
export interface WritePose {
  kind: "write_pose";
  /** The page's number for the answer. */
  request: number;
  q: number[];
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

/** Remove a motion. */
export interface RemoveMotion {
  kind: "remove_motion";
  /** The page's number for the answer. */
  request: number;
  /** The motion's. */
  name: string;
}

/** Give a motion another name. */
export interface RenameMotion {
  kind: "rename_motion";
  /** The page's number for the answer. */
  request: number;
  /** The motion's. */
  name: string;
  new: string;
}

/** Keep a part of a motion. */
export interface TrimMotion {
  kind: "trim_motion";
  /** The page's number for the answer. */
  request: number;
  /** The motion's. */
  name: string;
  /** [s] */
  start: number;
  /** [s] */
  end: number;
}

/** Take the shaking out of a motion. */
export interface SmoothMotion {
  kind: "smooth_motion";
  /** The page's number for the answer. */
  request: number;
  /** The motion's. */
  name: string;
  seconds: number;
}

/** Give a motion even times. */
export interface ResampleMotion {
  kind: "resample_motion";
  /** The page's number for the answer. */
  request: number;
  /** The motion's. */
  name: string;
  /** [s] */
  step: number;
}

/** Make a motion faster or slower. */
export interface SpeedMotion {
  kind: "speed_motion";
  /** The page's number for the answer. */
  request: number;
  /** The motion's. */
  name: string;
  factor: number;
}

/** Part of a recording in progress, so that a lost page loses nothing. */
export interface RecordSamples {
  kind: "record_samples";
  name: string;
  start: boolean;
  times: number[];
  values: number[][];
}

/** An order to the live simulation; 'start' makes one, with settings, at a pose. */
export interface Simulate {
  kind: "simulate";
  request: number;
  verb: "start" | "play" | "pause" | "step" | "set" | "undo" | "end";
  /** For start and set: all of them. */
  settings?: LiveSettings;
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

/** A file that waits to be fetched, for ten minutes. */
export interface FileLink {
  name: string;
  /** Relative to the page's address. */
  link: string;
  /** [bytes] */
  size: number;
}

/** A file for download, such as page, gltf, csv, json, svg or raff. */
export interface ExportRequest {
  kind: "export";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  format: string;
  /** A recorded motion; None for the pose. */
  motion?: string | null;
}

/** The degrees of freedom in a pose. */
export interface MobilityResult {
  /** In words. */
  text: string;
  /** To first order. */
  instantaneous: number;
  /** Those that survive a small finite motion. */
  finite: number;
  gruebler: number;
  /** None where not every loop moves in a plane. */
  gruebler_planar: number | null;
  /** Loop equations that others imply. */
  redundant: number;
  /** Those that move no point: rods that spin about themselves. */
  idle: number;
  /** One free motion each, over v. */
  directions: number[][];
  /** Whether the loops could be closed. */
  is_closed: boolean;
  /** Widest loop gap: distance [m] and angle [rad]. */
  gap: [number, number];
  /** The pose that was examined: the given one with its loops closed. */
  q: number[];
}

/** The degrees of freedom, while some joints are locked. */
export interface MobilityRequest {
  kind: "mobility";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** Joints. */
  locked?: string[];
}

/** A joint that may be placed wrongly, and how it should be. */
export interface SuspectData {
  joint: string;
  /** As it is, a unit vector in the world. */
  axis: [number, number, number];
  proposed_axis: [number, number, number];
  /** Angle between the two [rad]. */
  tilt: number;
  /** How far the joint should move, in the world [m]. */
  shift: [number, number, number];
  /** Degrees of freedom of its loops after the change. */
  freedoms: number;
  /** The change in the file's numbers, in words. */
  numbers: string[];
}

/** One thing about a mechanism that its designer should know. */
export interface FindingData {
  kind: string;
  is_fault: boolean;
  joints: string[];
  text: string;
  suspects: SuspectData[];
}

/** What was found about a mechanism. */
export interface DiagnosisResult {
  /** In words. */
  text: string;
  is_healthy: boolean;
  mobility: MobilityResult;
  findings: FindingData[];
}

/** What is wrong with a mechanism, and the joints that may be placed wrongly. */
export interface DiagnosisRequest {
  kind: "diagnosis";
  /** The page's number for the answer. */
  request: number;
  q: number[];
}

/** A way to close the loops while the inputs hold. */
export interface ModeData {
  name: string;
  q: number[];
  /** Largest way of any joint, landing or frame from the given pose [m]. */
  distance: number;
  /** Degrees of freedom that it has though the inputs hold. */
  loose: number;
}

/** All assembly modes that were found. */
export interface ModesResult {
  modes: ModeData[];
}

/** All ways to close the loops while the inputs hold. */
export interface ModesRequest {
  kind: "modes";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** Joints that hold; None for those with motors. */
  inputs?: string[] | null;
  /** Whether the joints' limits are kept. */
  limits?: boolean;
  /** Searches from random poses. */
  attempts?: number;
}

/** A point of a frame or link, and where it should be; as ``Handle`` has it. */
export interface HandleData {
  /** None for the file's last. */
  frame?: string | null;
  /** Where the point should be in the world [m]; None leaves its place free. */
  position?: [number, number, number] | null;
  /** The rotation that it should have; None leaves it free. */
  quat?: [number, number, number, number] | null;
  /** Where ``axis`` should point in the world. */
  direction?: [number, number, number] | null;
  /** In the frame [m]; None for its origin. */
  point?: [number, number, number] | null;
  /** In the frame; None for its z axis. */
  axis?: [number, number, number] | null;
  /** Whether it is kept exactly, like a loop. */
  pin?: boolean;
  weight?: number;
  rotation_weight?: number;
}

/** A branch beyond a singular pose, and the way there. */
export interface BranchBeyondData {
  name: string;
  sign: number;
  /** A pose beyond: the phantom. */
  q: number[];
  /** Poses from here to there. */
  path: number[][];
  /** Whether the way leads through the singular pose, and not back. */
  crosses: boolean;
  /** Joints that leave their limits on the way. */
  beyond: string[];
}

/** The singular pose ahead or nearby, and the branches beyond. */
export interface BranchesBeyondResult {
  kind: "none" | "task" | "gain" | "both";
  /** In words. */
  text: string;
  /** The singular pose. */
  q: number[];
  /** Whether the loops themselves lose rank there. */
  branch_point: boolean;
  branches: BranchBeyondData[];
}

/** The singular pose ahead or nearby, and the way to a phantom on each branch beyond. */
export interface BranchesBeyondRequest {
  kind: "branches_beyond";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** None for the heading's own, or the file's last. */
  frame?: string | null;
  /** Where it is heading. */
  handle?: HandleData | null;
  /** The kind of singular pose that is meant; None for any. */
  singularity?: "task" | "gain" | null;
  /** Joints that are driven; None for those with motors. */
  inputs?: string[] | null;
}

/** The pose that meets the handles, or the nearest one. */
export interface SolveResult {
  q: number[];
  reached: boolean;
  /** Why it is no nearer, in words. */
  reason: string;
  /** Limits at which joints stand, in words. */
  limits: string[];
  /** Degrees of freedom that the handles leave. */
  freedoms_left: number;
}

/** The pose that meets handles, or the nearest one and why it is no nearer. */
export interface SolveRequest {
  kind: "solve";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  handles: HandleData[];
  /** Whether the joints' limits are kept. */
  limits?: boolean;
  /** Joints. */
  locked?: string[];
}

/** A pose that meets handles, or the nearest one. */
export interface SolutionData {
  q: number[];
  reached: boolean;
  /** Why it is no nearer, in words. */
  reason: string;
  /** Limits at which joints stand, in words. */
  limits: string[];
  /** Degrees of freedom that the handles leave. */
  freedoms_left: number;
}

/** Every different pose that meets the handles. */
export interface SolveAllResult {
  solutions: SolutionData[];
}

/** Every different pose that meets handles. */
export interface SolveAllRequest {
  kind: "solve_all";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  handles: HandleData[];
  /** Whether the joints' limits are kept. */
  limits?: boolean;
  /** Joints. */
  locked?: string[];
  most?: number;
}

/** How a mechanism stands to its singular poses. */
export interface SingularityData {
  kind: "none" | "task" | "gain" | "both";
  /** In words. */
  text: string;
  /** 0 at a singular pose; None where nothing can move. */
  task_distance: number | null;
  /** None without loops or inputs. */
  gain_distance: number | null;
  task_values: number[];
  passive_values: number[];
}

/** Homogeneous matrices of all links and frames; Jacobian and singular values of one. */
export interface MatricesResult {
  /** 4 by 4, by the name of the link or frame. */
  matrices: Record<string, number[][]>;
  frame: string;
  jacobian: number[][];
  singular_values: number[];
  loop_jacobian: number[][];
  loop_singular_values: number[];
  singularity: SingularityData;
}

/** Matrices and Jacobians in a pose. */
export interface MatricesRequest {
  kind: "matrices";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** None for the file's last. */
  frame?: string | null;
}

/** The way of a tool to an object; the gripper shuts at its end. */
export interface GraspResult {
  reached: boolean;
  /** Why the tool does not arrive, in words; 'reached' when it does. */
  reason: string;
  /** The side of the object from which it comes. */
  side: string;
  /** Whether the tool points at the object when it arrives. */
  aligned: boolean;
  /** The tool. */
  frame: string;
  /** The joints of the fingers. */
  gripper: string[];
  /** Configurations in turn. */
  path: number[][];
  /** The row of the path in which the tool has arrived. */
  grasp_at: number;
}

/** A way for a tool to an object. */
export interface GraspRequest {
  kind: "grasp";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  object: string;
  /** The tool; None for the file's last frame. */
  frame?: string | null;
  /** Where the object is now; None for where its file puts it. */
  pose?: [number, number, number, number, number, number, number] | null;
  /** Distance from which the straight approach begins [m]; None for what suits. */
  clearance?: number | null;
}

/** Which cloud is meant. */
export interface CloudSpec {
  /** None for the file's last. */
  frame?: string | null;
  /** None for all links on the way to the frame. */
  frames?: string[] | null;
  /** Of joints whose range is not the file's [rad, m]. */
  ranges?: Record<string, [number, number]>;
  /** Degrees per value; None for what suits. */
  factor?: number | null;
  /** Poses that are spread; None for what suits. */
  count?: number | null;
  /** None for what suits the mechanism. */
  how?: "grid" | "spread" | null;
  /** What the points are coloured by. */
  layer?: string;
  /** The pose of the joints that hold still; None for q. */
  home?: number[] | null;
}

/** The values of a joint that are tried. */
export interface RangeData {
  name: string;
  quantity: "angle" | "length";
  lower: number;
  upper: number;
  /** Values on a grid; 0 where poses are spread. */
  count: number;
}

/** What is tried and shown. */
export interface CloudPlanResult {
  frames: string[];
  ranges: RangeData[];
  /** Joints on the way that have no range: balls, a free base. */
  held: string[];
  poses: number;
  points: number;
  /** Degrees per value; None where poses are spread. */
  factor: number | null;
  layer: string;
  /** Colours of the frames in turn, red, green and blue of 255. */
  palettes: Record<"safe" | "paper", [number, number, number][]>;
}

/** What a cloud would try, without making it. */
export interface CloudPlanRequest {
  kind: "cloud_plan";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  cloud: CloudSpec;
}

/** A cloud; its points come before. */
export interface CloudResult {
  plan: CloudPlanResult;
  seconds: number;
  /** Points that were sent. */
  shown: number;
  /** Lowest and highest x, y, z of each frame [m]. */
  bounds: [[number, number, number], [number, number, number]][];
  /** Of the layer. */
  ends: [number, number] | null;
}

/** What will come; without data. */
export interface CloudBeginPiece {
  kind: "begin";
  plan: CloudPlanResult;
  /** Points that will be sent. */
  shown: number;
}

/** Points spread over the cloud: float32 x, y, z of each, uint32 tags, float32 values if any. A tag is the number of the pose times the number of frames, and the frame. */
export interface CloudPointsPiece {
  kind: "points";
  count: number;
  /** Whether values follow. */
  valued: boolean;
  /** Of the layer so far. */
  ends: [number, number] | null;
  /** 0 … 1 */
  share: number;
  seconds: number;
}

/** How far it is when all points that are shown have been sent; without data. */
export interface CloudProgressPiece {
  kind: "progress";
  /** 0 … 1 */
  share: number;
  seconds: number;
}

/** Values of all points that were sent, where only the whole cloud says them: float32. */
export interface CloudValuesPiece {
  kind: "values";
  count: number;
  ends: [number, number] | null;
}

/** Where the links of a tree get to. */
export interface CloudRequest {
  kind: "cloud";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  cloud: CloudSpec;
}

/** Where to continue; the points come before. */
export interface CloudDetailResult {
  /** The pose to continue with; None when there is nothing more. */
  next: number | null;
  sent: number;
}

/** Points within the planes, as those of a cloud. */
export interface CloudDetailPiece {
  kind: "detail";
  count: number;
  /** Whether values follow. */
  valued: boolean;
}

/** More points of a cloud within planes, as many as come in a fraction of a second. */
export interface CloudDetailRequest {
  kind: "cloud_detail";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  cloud: CloudSpec;
  /** Rows n, d: inside where n·p + d ≥ 0. */
  planes: [number, number, number, number][];
  /** The pose to begin with: 0, or the last result's ``next``. */
  first?: number;
  /** Points at most. */
  most?: number;
}

/** A configuration. */
export interface PoseResult {
  q: number[];
}

/** The configuration that made a point of a cloud. */
export interface CloudPoseRequest {
  kind: "cloud_pose";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  cloud: CloudSpec;
  /** Its number: the tag of the point over the number of frames. */
  pose: number;
}

/** All points of a cloud as a file. */
export interface CloudFileRequest {
  kind: "cloud_file";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  cloud: CloudSpec;
  format: "csv" | "npz" | "ply";
  palette?: "safe" | "paper";
}

/** Which zone is meant. */
export interface ZoneSpec {
  /** None for the file's last. */
  frame?: string | null;
  /** None for what suits the mechanism. */
  kind?: "inputs" | "place" | "turn" | null;
  /** Between two values [rad, m]; None: as fine as is useful. */
  step?: number | null;
  /** Of inputs whose range is not the file's [rad, m]. */
  ranges?: Record<string, [number, number]>;
  /** Joints that are swept; None for those with motors. */
  inputs?: string[] | null;
  /** Of the plane of a spatial five-bar [rad]. */
  tilt?: number | null;
  /** Assembly modes, or 'all'; None for those that are known anyway. */
  modes?: string[] | null;
  /** What the points are coloured by; None: by mode. */
  layer?: string | null;
  /** The pose to begin from; None for q. */
  home?: number[] | null;
}

/** How large a set is. */
export interface MeasureData {
  /** Length, area or volume, by the dimension. */
  value: number;
  error: number;
  dimension: number;
  unit: string;
  /** Side of a cell [m]. */
  cell: number;
}

/** The zone of one assembly mode. */
export interface ZoneModeData {
  name: string;
  points: number;
  measure: MeasureData;
}

/** Where a frame gets to; its points come before. */
export interface ZoneResult {
  frame: string;
  kind: "inputs" | "place" | "turn";
  /** What the points are coloured by; None: by mode. */
  layer: string | null;
  /** Of the layer. */
  ends: [number, number] | null;
  method: "triangles" | "solver";
  inputs: string[];
  /** Inputs that hold [rad]. */
  held: Record<string, number>;
  /** Poses. */
  tried: number;
  points: number;
  /** Lowest and highest x, y, z [m]; None without points. */
  bounds: [[number, number, number], [number, number, number]] | null;
  measure: MeasureData;
  modes: ZoneModeData[];
  /** [rad] or [m] */
  step: number;
  seconds: number;
}

/** A zone that is coarser than the last one, or the last; without data. */
export interface ZoneBeginPiece {
  kind: "begin";
  zone: ZoneResult;
  /** Points that will be sent. */
  shown: number;
}

/** The points: float32 x, y, z of each, uint32 tags, float32 values if any. A tag is the number of the point times the number of modes, and the mode. */
export interface ZonePointsPiece {
  kind: "points";
  count: number;
  /** Whether values follow. */
  valued: boolean;
}

/** Where a frame of a mechanism with loops gets to, coarse first. */
export interface ZoneRequest {
  kind: "zone";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  zone: ZoneSpec;
}

/** The configuration of a point of a zone. */
export interface ZonePoseRequest {
  kind: "zone_pose";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  zone: ZoneSpec;
  /** Its number: its tag over the number of modes. */
  point: number;
}

/** Configurations, neighbours after each other. */
export interface ZoneWayResult {
  qs: number[][];
}

/** A way through a mode of a zone. */
export interface ZoneWayRequest {
  kind: "zone_way";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  zone: ZoneSpec;
  mode: string;
}

/** All points of a zone as a file. */
export interface ZoneFileRequest {
  kind: "zone_file";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  zone: ZoneSpec;
  format: "csv" | "npz" | "ply";
}

/** The lattice of a body's cells; all lists have two numbers in a plane, else three. */
export interface GridData {
  /** Index of the lowest cell on each axis. */
  first: number[];
  /** Cells on each axis. */
  shape: number[];
  /** Side of a cell [m]. */
  cell: number;
  /** The share of a filled cell at the edge that lies outside. */
  outside: number;
  /** Where the lattice begins [m]. */
  origin: number[];
}

/** A body that another is compared with. */
export interface CellsData {
  grid: GridData;
  /** Whether each cell is filled, as base64; the last axis is fastest, the lowest bit first. */
  bits: string;
}

/** Two bodies, by how much each of them fills [m², m³]. */
export interface BodyComparisonData {
  both: number;
  only_first: number;
  only_second: number;
  /** What both fill over what either does. */
  overlap: number;
}

/** A body; its surface and cells come before. */
export interface BodyResult {
  grid: GridData;
  /** Directions in the world of the cells' axes: two in a plane, else three. */
  axes: [number, number, number][];
  /** Where the plane lies [m]. */
  lift: [number, number, number];
  measure: MeasureData;
  pieces: number;
  voids: number;
  tunnels: number;
  /** Points or poses that it was made from. */
  counted: number;
  seconds: number;
  /** With the other body; None where there is none. */
  comparison: BodyComparisonData | null;
}

/** How far it is; without data. */
export interface BodyProgressPiece {
  kind: "progress";
  /** 0 … 1 */
  share: number;
}

/** The surface: float32 x, y, z of each corner [m], then uint32 corners of each face. */
export interface SurfacePiece {
  kind: "surface";
  vertices: number;
  /** Corners of a face: 3, or 2 of an outline in a plane. */
  sides: number;
  faces: number;
}

/** Whether each cell is filled: bits, the last axis fastest, the lowest bit first. */
export interface CellsPiece {
  kind: "cells";
}

/** The body of a frame of a tree, over the cloud's ranges. */
export interface CloudBodyRequest {
  kind: "cloud_body";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  cloud: CloudSpec;
  detail?: "quick" | "normal" | "fine";
  /** A body to compare with, whose cells are used. */
  against?: CellsData | null;
}

/** The body of a zone. */
export interface ZoneBodyRequest {
  kind: "zone_body";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  zone: ZoneSpec;
  /** Modes; None for all. */
  shown?: string[] | null;
  /** A body to compare with, whose cells are used. */
  against?: CellsData | null;
}

/** The surface of a tree's body as a file. */
export interface CloudSurfaceFileRequest {
  kind: "cloud_surface_file";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  cloud: CloudSpec;
  format: "glb" | "ply";
  detail?: "quick" | "normal" | "fine";
}

/** The surface of a zone's body as a file. */
export interface ZoneSurfaceFileRequest {
  kind: "zone_surface_file";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  zone: ZoneSpec;
  format: "glb" | "ply";
  /** Modes; None for all. */
  shown?: string[] | null;
}

/** A surface to choose. */
export interface SurfaceRow {
  name: string;
  note: string;
  formula: string;
  gives: "x" | "y" | "z";
  x1: [string, string];
  x2: [string, string];
  curves: number;
}

/** A body to choose. */
export interface VolumeRow {
  name: string;
  note: string;
  x: string;
  y: string;
  z: string;
  u: [string, string];
  v: [string, string];
  curves: number;
}

/** What there is to choose from. */
export interface PathMenuResult {
  surfaces: SurfaceRow[];
  volumes: VolumeRow[];
  /** Whether the arm can keep its wrist's angle to the ground. */
  wrist: boolean;
}

/** Surfaces and volumes to choose from, and what a frame can do. */
export interface PathMenuRequest {
  kind: "path_menu";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** None for the file's last. */
  frame?: string | null;
}

/** A circle within reach of a frame. */
export interface PathPlaceResult {
  centre: [number, number, number];
  /** Of the plane to draw in, with two axes in it. */
  normal: [number, number, number];
  across: [number, number, number];
  along: [number, number, number];
  /** [m] */
  radius: number;
  reached: boolean;
  /** Whether the mechanism moves in that plane only. */
  flat: boolean;
}

/** Where a frame can follow a curve. */
export interface PathPlaceRequest {
  kind: "path_place";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** None for the file's last. */
  frame?: string | null;
  /** The pose to begin from; None for q. */
  start?: number[] | null;
}

/** Three formulas of t [m]. */
export interface FormulaCurve {
  kind: "formula";
  x: string;
  y: string;
  z: string;
  t: [string, string];
  scale: number;
  /** It lies at scale times the formulas plus this [m]. */
  offset: [number, number, number];
}

/** One of the curves of a surface: one coordinate as a formula of the others, x1 and x2 [m]. */
export interface SurfaceCurve {
  kind: "surface";
  /** Of the menu; None for a formula of one's own. */
  name: string | null;
  formula: string;
  gives: "x" | "y" | "z";
  x1: [string, string];
  x2: [string, string];
  curves: number;
  /** Which of them. */
  index: number;
  scale: number;
  /** It lies at scale times the formula plus this [m]. */
  offset: [number, number, number];
}

/** One of the curves of a body: three formulas of u and v [m]. */
export interface VolumeCurve {
  kind: "volume";
  /** Of the menu; None for formulas of one's own. */
  name: string | null;
  x: string;
  y: string;
  z: string;
  u: [string, string];
  v: [string, string];
  curves: number;
  /** Which of them. */
  index: number;
  scale: number;
  /** It lies at scale times the formulas plus this [m]. */
  offset: [number, number, number];
}

/** Scale and offset that bring a curve into a ball. */
export interface PathFitData {
  scale: number;
  /** [m] */
  offset: [number, number, number];
}

/** What is wrong with a curve. */
export interface CurveProblemData {
  message: string;
  /** Of the curve: 'x', or 't.0' for the first value of t; None for no field in particular. */
  field: string | null;
  /** The character of the field. */
  offset: number | null;
}

/** The fit, or what is wrong with the curve. */
export interface PathFitResult {
  fit: PathFitData | null;
  problem: CurveProblemData | null;
}

/** Scale and offset that bring a curve into a ball, whatever they are now. */
export interface PathFitRequest {
  kind: "path_fit";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  curve: FormulaCurve | SurfaceCurve | VolumeCurve;
  /** [m] */
  centre: [number, number, number];
  /** [m] */
  radius: number;
}

/** A straight line. */
export interface SegmentCurve {
  kind: "segment";
  /** [m] */
  points: [number, number, number][];
}

/** An ellipse, by two corners of the rectangle around it or by its foci. */
export interface EllipseCurve {
  kind: "ellipse";
  by: "corners" | "foci";
  /** [m] */
  points: [number, number, number][];
  /** Longer half-axis, for foci [m]. */
  radius: number;
  normal: [number, number, number];
}

/** A Bézier curve. */
export interface BezierCurve {
  kind: "bezier";
  /** Control points [m]. */
  points: [number, number, number][];
}

/** A spline through points. */
export interface SplineCurve {
  kind: "spline";
  /** [m] */
  points: [number, number, number][];
  closed: boolean;
}

/** Straight lines through points that were picked on surfaces. */
export interface PicksCurve {
  kind: "picks";
  /** [m] */
  points: [number, number, number][];
  /** Of the surface at each point. */
  normals: [number, number, number][];
  closed: boolean;
}

/** Where two pipes, or two objects of the scene, meet. */
export interface SeamCurve {
  kind: "seam";
  of: "pipes" | "objects";
  /** Of the standing and the lying pipe [m]. */
  radii: [number, number];
  /** Where the axes of the pipes cross [m]. */
  at: [number, number, number];
  objects: [string, string];
  /** Which seam of the objects, the longest first. */
  index: number;
  /** Where the normals point. */
  facing: "between" | "first" | "second";
}

/** How the tool is held. */
export interface ToolData {
  hold?: "free" | "normal" | "direction" | "rotation" | "wrist";
  /** Sideways lean against the normal [rad]. */
  tilt?: number;
  /** Where its z axis points. */
  direction?: [number, number, number] | null;
  /** The rotation that it keeps. */
  quat?: [number, number, number, number] | null;
  /** Angle of the hand to the ground [rad]. */
  wrist?: number;
}

/** When each point is passed. */
export interface TimingData {
  law?: "constant" | "optimal" | "smooth";
  /** The stretch that is timed; None for the longest. */
  run?: number | null;
  /** By joint [rad/s, m/s]. */
  speeds?: Record<string, number> | null;
  accelerations?: Record<string, number> | null;
  jerks?: Record<string, number> | null;
  /** Whether the optimal law keeps the torques and forces of the file's motors. */
  efforts?: "motors" | null;
}

/** A curve, and how a frame follows it. */
export interface PathSpec {
  curve: SegmentCurve | EllipseCurve | BezierCurve | SplineCurve | PicksCurve | FormulaCurve | SurfaceCurve | VolumeCurve | SeamCurve;
  /** None for the file's last. */
  frame?: string | null;
  /** The pose to begin from; None for q. */
  start?: number[] | null;
  /** Whether the joints' limits are kept. */
  limits?: boolean;
  /** Distance from the surface [m]. */
  lift?: number;
  /** Objects that are not where the file puts them. */
  poses?: Record<string, [number, number, number, number, number, number, number]>;
  /** How many, where no step is given. */
  points?: number;
  /** Between two points [m]. */
  step?: number | null;
  /** Of the tool [m/s]. */
  speed?: number;
  tool?: ToolData;
  timing?: TimingData;
}

/** A stretch that is not reached. */
export interface PathGapData {
  first: number;
  last: number;
  reason: string;
}

/** Where the mechanism crosses a singular pose, or comes near one. */
export interface CrossingData {
  /** The point before it. */
  index: number;
  /** [s] */
  time: number;
  kind: "task" | "gain" | "jump" | "near";
  joints: string[];
  text: string;
}

/** What the time law comes to. */
export interface PathTimingData {
  /** [s] */
  duration: number;
  /** Joints that would exceed their motors' speeds: by how many times. */
  too_fast: Record<string, number>;
  /** The stretch that is timed; None at constant speed. */
  run: number | null;
  /** Why the law cannot be kept. */
  problem: string | null;
}

/** A path, besides its numbers. */
export interface PathData {
  frame: string;
  name: string;
  count: number;
  reached: number;
  /** [m] */
  length: number;
  /** At constant speed [s]. */
  duration: number;
  /** [m/s] */
  speed: number;
  closed: boolean;
  /** Between its ends [m]. */
  gap: number | null;
  /** Curves or seams to choose from. */
  choices: number;
  /** Distance between the ends of each curve of a volume [m]. */
  closing: (number | null)[];
  scale: number;
  /** First and last point of each unbroken stretch. */
  runs: [number, number][];
  gaps: PathGapData[];
  /** Why points are not reached, by their numbers; of the first hundreds of them. */
  reasons: Record<string, string>;
  crossings: CrossingData[];
  /** Joints that would exceed their motors' speeds: by how many times. */
  too_fast: Record<string, number>;
  on_surface: boolean;
  timing: PathTimingData;
}

/** The path, whose numbers come before; or what is wrong with the curve. */
export interface PathPlanResult {
  path: PathData | null;
  problem: CurveProblemData | null;
}

/** Float32: x, y, z of all points [m], their ways [m], times [s], how singular, and if reached. Each of these for all points in turn; 1 where a point is reached, else 0. */
export interface PathPointsPiece {
  kind: "points";
  count: number;
}

/** Poses as float64, NaN where a point is not reached. */
export interface PathPosesPiece {
  kind: "poses";
  count: number;
  nq: number;
}

/** Velocities of all points, then accelerations: float32. */
export interface PathRatesPiece {
  kind: "rates";
  count: number;
  nv: number;
}

/** The curve in fine steps: float32 x, y, z of each point [m]. */
export interface PathLinePiece {
  kind: "line";
  count: number;
}

/** Curves of the surface or body that the path is on: float32 x, y, z of each point [m]. */
export interface PathGridPiece {
  kind: "grid";
  curves: number;
  /** Of each curve. */
  points: number;
}

/** Times [s], velocities and accelerations of the timed stretch: float32. */
export interface PathTimedPiece {
  kind: "timed";
  /** Its first point. */
  first: number;
  count: number;
}

/** The path of a frame along a curve. */
export interface PathPlanRequest {
  kind: "path_plan";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  path: PathSpec;
}

/** A pose in which a curve can be begun. */
export interface BranchData {
  name: string;
  q: number[];
}

/** The branches, nearest first; or what is wrong with the curve. */
export interface PathBranchesResult {
  branches: BranchData[];
  problem: CurveProblemData | null;
}

/** The poses in which a curve can be begun. */
export interface PathBranchesRequest {
  kind: "path_branches";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  path: PathSpec;
}

/** The path as a file: a table, commands, or a report to print. */
export interface PathFileRequest {
  kind: "path_file";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  path: PathSpec;
  format: "csv" | "json" | "npz" | "mcap" | "gcode" | "ssc" | "svg" | "pdf" | "png";
}

/** A box of places: lowest, highest [m] and number of values on each axis. */
export interface BoxData {
  x: [number, number, number];
  y: [number, number, number];
  z: [number, number, number];
}

/** What a frame can hold over a box, and a box that suits. */
export interface MapProposalResult {
  frame: string;
  /** The usual one first. */
  holds: ("wrist" | "rotation" | "free")[];
  /** Why the arm has a closed form; empty without one. */
  text: string;
  /** The hand's angle to the ground now [rad], where it can be held. */
  wrist_angle: number | null;
  /** In how many directions the frame can move. */
  freedom: number;
  box: BoxData;
}

/** How the joint map of a frame is best begun. */
export interface MapProposalRequest {
  kind: "map_proposal";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** None for the file's last. */
  frame?: string | null;
}

/** A branch of a joint map. */
export interface MapBranchData {
  name: string;
  /** Places that it reaches, limits aside. */
  reached: number;
  /** Those of them with every joint in its range. */
  within: number;
}

/** Joint values of every branch over a box; the values come before. */
export interface JointMapResult {
  frame: string;
  /** What the rows of the values are. */
  joints: string[];
  shape: [number, number, number];
  /** Places on x, y, z [m]. */
  axes: [number[], number[], number[]];
  branches: MapBranchData[];
  /** The branch in which the mechanism stands. */
  present: number;
  seconds: number;
}

/** Joint values of a branch: float64, a row per number of q, NaN where it does not get. */
export interface MapValuesPiece {
  kind: "values";
  branch: number;
}

/** Joints of a branch that are out of their range: bytes, a row per joint. */
export interface MapLampsPiece {
  kind: "lamps";
  branch: number;
}

/** How far each place is beyond the arm's length [m]: float32. */
export interface MapBeyondPiece {
  kind: "beyond";
}

/** Joint values of every branch over a box of places. */
export interface JointMapRequest {
  kind: "joint_map";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  box: BoxData;
  /** None for the file's last. */
  frame?: string | null;
  hold?: "wrist" | "rotation" | "free";
  /** The hand's angle to the ground [rad], where that is held. */
  wrist_angle?: number | null;
}

/** How much one source does. */
export interface BacklashShare {
  name: string;
  share: number;
}

/** How far backlash lets a frame move; the cloud comes before. */
export interface BacklashResult {
  frame: string;
  /** Where it should be [m]. */
  at: [number, number, number];
  points: number;
  /** How far it gets down each axis [m]. */
  lower: [number, number, number];
  upper: [number, number, number];
  /** The same to first order [m]. */
  bound: [number, number, number];
  /** About each axis [rad]. */
  turn: [number, number, number];
  /** Farthest from where it should be [m]. */
  worst: number;
  /** The pose there. */
  worst_q: number[];
  /** The largest first. */
  shares: BacklashShare[];
  seconds: number;
}

/** Places of the frame from where it should be [m]: float32, three numbers each. */
export interface BacklashPointsPiece {
  kind: "points";
}

/** How far backlash and tolerances let a frame move. */
export interface BacklashRequest {
  kind: "backlash";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** None for the file's last. */
  frame?: string | null;
  /** Angular backlash [rad]. */
  joints?: Record<string, number>;
  /** Tolerance of bars, backlash of slides [m]. */
  length?: number;
  /** Tilt of hinge axes [rad]. */
  wobble?: number;
}

/** Places to be passed in turn. */
export interface GoalCurveData {
  name: string;
  title: string;
  /** Where they come from; empty where nothing is to be said. */
  note: string;
  closed: boolean;
  /** [m] */
  points: [number, number, number][];
}

/** Goals near a frame, to begin with. */
export interface GoalsResult {
  frame: string;
  curves: GoalCurveData[];
  /** Two opposite corners [m]. */
  box: [[number, number, number], [number, number, number]];
  /** Of the plane to draw in. */
  normal: [number, number, number];
  /** Whether the mechanism moves in that plane only. */
  flat: boolean;
  /** Where the frame is [m]. */
  at: [number, number, number];
}

/** Curves and a box near a frame, for a design to begin with. */
export interface GoalsRequest {
  kind: "design_goals";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** None for the file's last. */
  frame?: string | null;
}

/** A box to cover. */
export interface CoverData {
  /** Two opposite ones [m]. */
  corners: [[number, number, number], [number, number, number]];
  /** Places per edge. */
  edge?: number;
}

/** What a search has done; the designs come before. */
export interface DesignResult {
  frame: string;
  starts: number;
  steps: number;
  /** Different ones. */
  designs: number;
  /** Of the wanted places [m]. */
  extent: number;
  seconds: number;
}

/** How far a search is; without data. */
export interface DesignStepPiece {
  kind: "step";
  step: number;
  start: number;
  /** Least mean distance so far [m]. */
  best: number;
}

/** The best design so far; its motion as float64, nq numbers per pose. */
export interface DesignBestPiece {
  kind: "best";
  parameters: Record<string, number>;
  /** Mean distance [m]. */
  error: number;
}

/** Where a start has led; its motion as float64, nq numbers per pose. */
export interface DesignFoundPiece {
  kind: "design";
  start: number;
  parameters: Record<string, number>;
  /** Mean distance [m]. */
  error: number;
  /** Largest distance [m]. */
  worst: number;
  /** The same as a share of the target's extent; None where it has none. */
  share: number | null;
  /** Whether one motion passes all places. */
  connected: boolean;
  /** From singular poses, dimensionless; None where there are none. */
  clearance: number | null;
}

/** Parameters that let a frame pass wanted places, or cover a box. */
export interface DesignRequest {
  kind: "design";
  /** The page's number for the answer. */
  request: number;
  q: number[];
  /** Parameters that may change: lowest and highest value. */
  free: Record<string, [number, number]>;
  /** None for the file's last. */
  frame?: string | null;
  /** To be passed [m]; not looked at where a box is given. */
  points?: [number, number, number][];
  /** To be covered instead. */
  box?: CoverData | null;
  starts?: number;
  /** Wanted distance from singular poses. */
  clear?: number;
  seed?: number;
}

/** Where a text was saved, and all files of the project folder. */
export interface Saved {
  file: string;
  files: string[];
}

export type ToPage = Welcome | Snapshot | Refused | Disk | Files | Notice | Keeping | Progress | Done | Watchers | Simulation;
export type FromPage = Hello | Dismiss | OpenMechanism | EditText | SetNumbers | AddJoint | RemoveJoint | AddFrame | RemoveFrame | AddParameter | RemoveParameter | Rename | RenameParameter | SetValue | SetSection | WritePose | CommitPose | Undo | Redo | Save | TakeFromDisk | StoreMotion | RemoveMotion | RenameMotion | TrimMotion | SmoothMotion | ResampleMotion | SpeedMotion | RecordSamples | Simulate | Touch | Release | SetTarget | Cancel | ExportRequest | MobilityRequest | DiagnosisRequest | ModesRequest | BranchesBeyondRequest | SolveRequest | SolveAllRequest | MatricesRequest | GraspRequest | CloudPlanRequest | CloudRequest | CloudDetailRequest | CloudPoseRequest | CloudFileRequest | ZoneRequest | ZonePoseRequest | ZoneWayRequest | ZoneFileRequest | CloudBodyRequest | ZoneBodyRequest | CloudSurfaceFileRequest | ZoneSurfaceFileRequest | PathMenuRequest | PathPlaceRequest | PathFitRequest | PathPlanRequest | PathBranchesRequest | PathFileRequest | MapProposalRequest | JointMapRequest | BacklashRequest | GoalsRequest | DesignRequest;
export type StructureEdit = AddJoint | RemoveJoint | AddFrame | RemoveFrame | AddParameter | RemoveParameter | Rename | RenameParameter | SetValue | SetSection | WritePose;
export type MotionEdit = RemoveMotion | RenameMotion | TrimMotion | SmoothMotion | ResampleMotion | SpeedMotion;

/** What each question is answered with. */
export interface Questions {
  export: { request: ExportRequest; result: FileLink; piece: never };
  mobility: { request: MobilityRequest; result: MobilityResult; piece: never };
  diagnosis: { request: DiagnosisRequest; result: DiagnosisResult; piece: never };
  modes: { request: ModesRequest; result: ModesResult; piece: never };
  branches_beyond: { request: BranchesBeyondRequest; result: BranchesBeyondResult; piece: never };
  solve: { request: SolveRequest; result: SolveResult; piece: never };
  solve_all: { request: SolveAllRequest; result: SolveAllResult; piece: never };
  matrices: { request: MatricesRequest; result: MatricesResult; piece: never };
  grasp: { request: GraspRequest; result: GraspResult; piece: never };
  cloud_plan: { request: CloudPlanRequest; result: CloudPlanResult; piece: never };
  cloud: { request: CloudRequest; result: CloudResult; piece: CloudBeginPiece | CloudPointsPiece | CloudProgressPiece | CloudValuesPiece };
  cloud_detail: { request: CloudDetailRequest; result: CloudDetailResult; piece: CloudDetailPiece };
  cloud_pose: { request: CloudPoseRequest; result: PoseResult; piece: never };
  cloud_file: { request: CloudFileRequest; result: FileLink; piece: never };
  zone: { request: ZoneRequest; result: ZoneResult; piece: ZoneBeginPiece | ZonePointsPiece };
  zone_pose: { request: ZonePoseRequest; result: PoseResult; piece: never };
  zone_way: { request: ZoneWayRequest; result: ZoneWayResult; piece: never };
  zone_file: { request: ZoneFileRequest; result: FileLink; piece: never };
  cloud_body: { request: CloudBodyRequest; result: BodyResult; piece: BodyProgressPiece | SurfacePiece | CellsPiece };
  zone_body: { request: ZoneBodyRequest; result: BodyResult; piece: SurfacePiece | CellsPiece };
  cloud_surface_file: { request: CloudSurfaceFileRequest; result: FileLink; piece: never };
  zone_surface_file: { request: ZoneSurfaceFileRequest; result: FileLink; piece: never };
  path_menu: { request: PathMenuRequest; result: PathMenuResult; piece: never };
  path_place: { request: PathPlaceRequest; result: PathPlaceResult; piece: never };
  path_fit: { request: PathFitRequest; result: PathFitResult; piece: never };
  path_plan: { request: PathPlanRequest; result: PathPlanResult; piece: PathPointsPiece | PathPosesPiece | PathRatesPiece | PathLinePiece | PathGridPiece | PathTimedPiece };
  path_branches: { request: PathBranchesRequest; result: PathBranchesResult; piece: never };
  path_file: { request: PathFileRequest; result: FileLink; piece: never };
  map_proposal: { request: MapProposalRequest; result: MapProposalResult; piece: never };
  joint_map: { request: JointMapRequest; result: JointMapResult; piece: MapValuesPiece | MapLampsPiece | MapBeyondPiece };
  backlash: { request: BacklashRequest; result: BacklashResult; piece: BacklashPointsPiece };
  design_goals: { request: GoalsRequest; result: GoalsResult; piece: never };
  design: { request: DesignRequest; result: DesignResult; piece: DesignStepPiece | DesignBestPiece | DesignFoundPiece };
}

/** The kinds of questions. */
export type QuestionKind = keyof Questions;
/** What a question says besides the pose; its number comes from the connection. */
export type Asked<K extends QuestionKind> = Omit<Questions[K]["request"], "kind" | "request" | "q">;
/** What answers a question. */
export type ResultOf<K extends QuestionKind> = Questions[K]["result"];
/** What the pieces before the answer hold. */
export type PieceOf<K extends QuestionKind> = Questions[K]["piece"];
