// The store as Svelte sees it: every getter is current, and asks for updates only while it is shown.
import { createSubscriber } from "svelte/reactivity";
import type { StudioHost } from "../../store/hosts.ts";
import type { ConflictData } from "../../wire/messages.ts";
import type { StudioEvents } from "../../store/types.ts";
import { lengthUnit, type LengthUnit } from "../format.ts";

/** Read-outs of the moving pose follow at most this often [ms]. */
const READ_OUT = 40;
const LONGEST = 240;

export class Live {
  private readonly watch: Record<string, () => void> = {};

  constructor(private readonly studio: StudioHost) {
    const events: (keyof StudioEvents)[] = [
      "welcome", "snapshot", "model", "numbers", "selection", "settings", "connection", "watchers",
      "draft", "disk", "keeping", "pins", "grabs", "ghosts", "overlay", "workspace", "design", "maps", "backlash", "simulation", "robot",
    ]; // prettier-ignore
    for (const event of events)
      this.watch[event] = createSubscriber((update) => studio.on(event, update));
    for (const event of [
      "pose",
      "status",
      "gauges",
      "playback",
      "recording",
      "objects",
      "collisions",
      "path",
      "live",
      "run",
      "programs",
      "hardware",
      "robotFrame",
    ] as const)
      this.watch[event] = createSubscriber((update) =>
        throttled(update, (go) => studio.on(event, go)),
      );
  }

  get welcome() {
    this.watch.welcome!();
    return this.studio.welcome;
  }
  get snapshot() {
    this.watch.snapshot!();
    return this.studio.snapshot;
  }
  /** The model in the page; its numbers may change without another model. */
  get model() {
    this.watch.model!();
    this.watch.numbers!();
    this.watch.snapshot!();
    return this.studio.model;
  }
  get q() {
    this.watch.model!();
    this.watch.pose!();
    return this.studio.q;
  }
  get poses() {
    this.watch.model!();
    this.watch.pose!();
    this.watch.numbers!();
    return this.studio.poses;
  }
  get collisions() {
    this.watch.collisions!();
    return this.studio.collisions;
  }
  get selection() {
    this.watch.selection!();
    return this.studio.selection;
  }
  get status() {
    this.watch.status!();
    return this.studio.status;
  }
  /** How things stand. */
  get condition() {
    for (const event of ["snapshot", "model", "numbers", "pose", "connection", "simulation"])
      this.watch[event]!();
    return this.studio.condition;
  }
  get gauges() {
    this.watch.gauges!();
    return this.studio.gauges;
  }
  get ghosts() {
    this.watch.ghosts!();
    return this.studio.ghosts;
  }
  get settings() {
    this.watch.settings!();
    return this.studio.settings;
  }
  get connection() {
    this.watch.connection!();
    return this.studio.connection;
  }
  /** What somebody else made of the text or its file, where the user has to choose. */
  get conflict(): ConflictData | null {
    this.watch.draft!();
    this.watch.disk!();
    return this.studio.draft.conflict ?? this.studio.disk;
  }
  /** Why changes do not reach the disk. */
  get trouble(): string | null {
    this.watch.keeping!();
    return this.studio.trouble;
  }
  /** The text as it is typed. */
  get text(): string {
    this.watch.draft!();
    this.watch.snapshot!();
    return this.studio.draft.text;
  }
  get watchers() {
    this.watch.watchers!();
    return this.studio.watchers;
  }
  get pins() {
    this.watch.pins!();
    return this.studio.pins;
  }
  get grabs() {
    this.watch.grabs!();
    return this.studio.grabs;
  }
  get recorder() {
    this.watch.recording!();
    return this.studio.recorder;
  }
  get player() {
    this.watch.playback!();
    return this.studio.player;
  }
  get overlay() {
    this.watch.overlay!();
    return this.studio.overlay;
  }
  /** Where it can go. */
  get workspace() {
    this.watch.workspace!();
    return this.studio.workspace;
  }
  /** Design by goal. */
  get designs() {
    this.watch.design!();
    return this.studio.designs;
  }
  /** The joint-space map. */
  get maps() {
    this.watch.maps!();
    return this.studio.maps;
  }
  /** What backlash does to the tool. */
  get backlash() {
    this.watch.backlash!();
    return this.studio.backlash;
  }
  /** The engine that is chosen, as the studio describes it. */
  get engine() {
    return this.welcome?.engines.find((one) => one.name === this.simulation.settings.engine);
  }
  /** The live simulation: its orders, and what it is at. */
  get simulation() {
    this.watch.simulation!();
    return this.studio.simulation;
  }
  /** The same with its moving numbers. */
  get running() {
    this.watch.simulation!();
    this.watch.live!();
    return this.studio.simulation;
  }
  /** By which other programs move the simulated robot. */
  get hardware() {
    this.watch.hardware!();
    this.watch.simulation!();
    return this.studio.simulation.hardware;
  }
  /** The real robot. */
  get robot() {
    this.watch.robot!();
    return this.studio.robot;
  }
  /** The same with what it measures. */
  get robotNow() {
    this.watch.robot!();
    this.watch.robotFrame!();
    return this.studio.robot;
  }
  /** What runs by itself. */
  get run() {
    this.watch.run!();
    this.watch.model!();
    return this.studio.run;
  }
  /** The path in hand. */
  get paths() {
    this.watch.path!();
    return this.studio.paths;
  }
  /** Objects where they are now. */
  get scene() {
    this.watch.objects!();
    this.watch.snapshot!();
    return this.studio.scene;
  }
  /** Python programs, and what they show. */
  get programs() {
    this.watch.programs!();
    return this.studio.programs;
  }
  get readOnly(): boolean {
    this.watch.welcome!();
    return this.studio.readOnly;
  }
  /** The unit lengths are shown in: the file's habit. */
  get length(): LengthUnit {
    const snapshot = this.snapshot;
    return snapshot ? lengthUnit(snapshot.text, this.studio.model?.size ?? 1) : "mm";
  }
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
