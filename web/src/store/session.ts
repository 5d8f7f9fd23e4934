// What comes from the studio: snapshots, poses of others, and the connection's ups and downs.
import { PageModel } from "../kernel/page-model.ts";
import { type ModelData, SCHEMA, type Snapshot, type Welcome } from "../wire/messages.ts";
import type { LiveFrame } from "../wire/frames.ts";
import type { PoseFrame } from "../wire/pose-frame.ts";
import type { ConnectionHandlers } from "../wire/socket.ts";
import { closeKeepingMotors, type LiveNumbers } from "./pose/live-numbers.ts";
import type { Moving } from "./motion/moving.ts";
import type { SessionOwner } from "./hosts.ts";
import type { ConnectionState } from "./types.ts";

type Message = Parameters<ConnectionHandlers["onMessage"]>[0];

export class Session {
  /** Moved while there was no connection: the studio must hear of it. */
  isUnreported = false;
  /** Version of the snapshot since which poses have meant the same. */
  private layoutVersion = 0;
  /** The latest pose of others that has not been shown: they may come faster than pictures. */
  private theirs: Float64Array | null = null;

  constructor(
    private readonly studio: SessionOwner,
    private readonly moving: Moving,
    private readonly live: LiveNumbers,
  ) {}

  readonly handlers: ConnectionHandlers = {
    onState: (state) => this.connectionChanged(state),
    onWelcome: (welcome) => this.welcomed(welcome),
    onMessage: (message) => this.received(message),
    onPose: (frame) => this.studio.wall.moments.show(() => this.followed(frame)),
    onLive: (frame) => this.studio.wall.moments.show(() => this.lived(frame)),
    onBody: (client, body) => this.studio.people.tookMesh(client, body),
    onPicture: (picture) => this.studio.simulation.sensors.took(picture),
    onRefused: (message) => this.studio.notice("error", message),
  };

  takeSnapshot(snapshot: Snapshot): void {
    const { studio } = this;
    const isOther = studio.snapshot?.model.name !== snapshot.model.name;
    // what moves is stopped, and its last pose kept, as one of the mechanism that it belongs to
    if (studio.model !== null && !isSameStructure(studio.model.data, snapshot.model)) this.rest();
    this.theirs = null;
    studio.snapshot = snapshot;
    studio.draft.received(snapshot);
    this.takeModel(snapshot);
    studio.emit("snapshot", snapshot);
    if (isOther) studio.select(null);
  }

  private takeModel({ model: data, q, pose_changed, version }: Snapshot): void {
    const { studio } = this;
    const old = studio.model;
    const theirs = Float64Array.from(q);
    if (old !== null && isSameStructure(old.data, data)) {
      this.takeNumbers(old, data, pose_changed ? theirs : null);
      return;
    }
    const model = new PageModel(studio.kernels, data);
    const keepsPose = old !== null && !pose_changed && old.nq === model.nq;
    const pose = keepsPose ? studio.q.slice() : theirs;
    this.live.clear();
    if (keepsPose) closeKeepingMotors(model, pose);
    this.moving.setPins([]);
    studio.setStatus(null);
    // pose and model fit each other before anybody hears of them
    this.layoutVersion = version;
    studio.model = model;
    studio.q = pose;
    studio.poses = model.forward(pose);
    studio.setOverlay({
      traces: [],
      suspects: [],
      diagnosis: null,
      freeMotions: [],
      playing: null,
    });
    studio.emit("model", model);
    old?.free();
    studio.setPose(pose, "snapshot");
  }

  /** Ends what moves, is recorded or is played. */
  private rest(): void {
    const { studio } = this;
    this.moving.stop();
    if (studio.recorder.recording) studio.stopRecording();
    studio.player.load(null);
  }

  /** The same mechanism, perhaps with other numbers; what nothing changes is not disturbed. */
  private takeNumbers(model: PageModel, data: ModelData, theirs: Float64Array | null): void {
    const { studio } = this;
    // a drag continues while others change numbers
    if (studio.grabs.length > 0) theirs = null;
    const before = model.reals.slice();
    const pose = theirs ?? studio.q.slice();
    model.adopt(data);
    this.live.reapply(model, pose, studio.pins);
    const hasChanged = model.reals.some((value, i) => !Object.is(value, before[i]));
    if (theirs !== null) this.moving.stop();
    if (hasChanged) {
      closeKeepingMotors(model, pose, studio.pins);
      this.moving.holding.changed();
      studio.emit("numbers", model);
    }
    if (theirs === null && !hasChanged) return;
    if (theirs !== null) studio.setStatus(null);
    studio.setPose(pose, "snapshot");
  }

  private welcomed(welcome: Welcome): void {
    const { studio } = this;
    // what is amiss comes after it
    for (const [event, was] of [
      ["disk", studio.disk],
      ["keeping", studio.trouble],
    ] as const)
      if (was !== null) studio.emit(event, null);
    studio.disk = studio.trouble = null;
    studio.welcome = welcome;
    studio.programs.welcomed();
    studio.readOnly = welcome.read_only;
    studio.emit("welcome", welcome);
    if (welcome.schema !== SCHEMA)
      studio.notice("error", "the studio and this page have different versions: reload the page");
  }

  private connectionChanged(state: ConnectionState): void {
    const { studio } = this;
    if (studio.connection === state) return;
    studio.connection = state;
    studio.emit("connection", state);
  }

  private received(message: Message): void {
    const { studio } = this;
    switch (message.kind) {
      case "snapshot":
        this.snapshotCame(message);
        break;
      case "watchers":
        studio.watchers = message;
        studio.emit("watchers", message);
        break;
      case "notice":
        studio.emit("notice", message);
        break;
      case "disk":
        studio.disk = message.conflict;
        studio.emit("disk", message.conflict);
        break;
      case "keeping":
        studio.trouble = message.trouble;
        studio.emit("keeping", message.trouble);
        break;
      case "files":
        studio.setFiles(message.files);
        break;
      case "progress":
        studio.emit("progress", message);
        break;
      case "simulation":
        studio.simulation.took(message);
        break;
      case "drive_state":
        studio.robot.took(message);
        break;
      case "drive_frame":
        studio.robot.heard(message);
        break;
      case "traffic":
        studio.simulation.hardware.heard(message);
        break;
      case "programs":
        studio.programs.took(message);
        break;
      case "person_seen":
        studio.people.seen(message);
        break;
      case "person_gone":
        studio.people.gone(message);
        break;
      case "tracker":
        studio.trackers.took(message);
        break;
      case "wall_state":
        studio.wall.moments.show(() => studio.wall.took(message));
        break;
      case "wall_moment":
        studio.wall.moments.took(message);
        studio.emit("stir", null);
        break;
      case "world_people":
        studio.people.took(message);
        break;
      case "item_shown":
        studio.programs.shown(message);
        break;
      case "item_hidden":
        studio.programs.hidden(message);
        break;
      case "play_wanted":
        studio.programs.play(message);
        break;
      case "picture_wanted":
        studio.programs.picture(message);
        break;
    }
  }

  private snapshotCame(message: Snapshot): void {
    const { studio } = this;
    studio.wall.moments.flush();
    // what was moved while the connection was lost is newer than what the studio has
    const isOurs =
      this.isUnreported &&
      studio.model !== null &&
      isSameStructure(studio.model.data, message.model);
    this.isUnreported = false;
    this.takeSnapshot(isOurs ? { ...message, pose_changed: false } : message);
    if (isOurs) studio.commitPose("Move while the connection was lost");
    if (isOurs && this.live.pending.length > 0)
      studio
        .commitNumbers("Change numbers")
        .catch((error: Error) => studio.notice("warning", error.message));
  }

  private lived(frame: LiveFrame): void {
    const latest = this.studio.snapshot?.version ?? 0;
    if (frame.version < this.layoutVersion || frame.version > latest) return;
    this.studio.simulation.received(frame);
  }

  /** Somebody else moves the mechanism. */
  private followed({ version, q }: PoseFrame): void {
    const { studio } = this;
    const latest = studio.snapshot?.version ?? 0;
    if (version < this.layoutVersion || version > latest || studio.grabs.length > 0) return;
    this.theirs = q;
    studio.emit("stir", null);
  }

  /** Shows what a moment of a wall brings, and the latest pose of others: once per picture. */
  tick(): void {
    const { studio } = this;
    studio.wall.moments.tick();
    const { theirs } = this;
    this.theirs = null;
    if (theirs !== null && studio.grabs.length === 0) studio.setPose(theirs, "remote");
  }
}

/** Whether one model can take over the other's numbers: all but its floats and texts is equal. */
function isSameStructure(a: ModelData, b: ModelData): boolean {
  const shape = ({
    name,
    links,
    link_shapes,
    link_colors,
    joints,
    loops,
    couplings,
    drawn,
    frames,
  }: ModelData): string =>
    JSON.stringify([
      ...[name, links, link_shapes, link_colors],
      ...[joints, loops, couplings, drawn, frames],
    ]);
  return a.ints === b.ints && shape(a) === shape(b);
}
