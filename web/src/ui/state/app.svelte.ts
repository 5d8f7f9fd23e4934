// What the panels share: store, view, open dialogs and menus.
import { createContext } from "svelte";
import type { Devices } from "../../interact/devices/index.ts";
import { localStore } from "../../store/settings.ts";
import type { StudioHost } from "../../store/hosts.ts";
import type { ConflictData, PassedOver, ProgramData, RobotFile } from "../../wire/messages.ts";
import type { Viewer } from "../../view/viewer.ts";
import type { Headset } from "../../xr/session/headset.ts";
import type { Abilities, Mode } from "../../xr/session/session.ts";
import { type Live, liveOf, type LiveOf } from "./live.svelte.ts";
import { Toasts } from "./toasts.svelte.ts";
import { Tour } from "./tour.svelte.ts";

export type DialogName =
  | "open"
  | "robots"
  | "table"
  | "failure"
  | "remarks"
  | "save"
  | "share"
  | "export"
  | "help"
  | "headset"
  | "stereo"
  | "wall"
  | "conflict"
  | null;
export type LeftTab = "library" | "text";
export type RightTab =
  | "joints"
  | "parameters"
  | "frames"
  | "analysis"
  | "workspace"
  | "path"
  | "design"
  | "forces"
  | "scene"
  | "program";

export interface ContextSpot {
  x: number;
  y: number;
}

export class App {
  readonly live: Live;
  readonly toasts = new Toasts();
  readonly tour: Tour;
  viewer = $state.raw<Viewer | null>(null);
  devices = $state.raw<Devices | null>(null);
  headset: Headset | null = null;
  /** What the browser offers for headsets, and what one shows now. */
  immersion = $state.raw<Abilities & { mode: Mode | null }>({
    ...{ vr: false, ar: false, words: "", mode: null },
  });
  dialog = $state<DialogName>(null);
  /** What a save would have overwritten. */
  unsaved = $state.raw<ConflictData | null>(null);
  /** Robots of the folder that was opened last. */
  robots = $state.raw<RobotFile[]>([]);
  /** Files of it that the studio did not take. */
  passedOver = $state.raw<PassedOver[]>([]);
  /** Why a file was not opened. */
  openFailure = $state.raw<{ file: string; message: string } | null>(null);
  /** The file that was opened last without its folder: meshes that come later belong to it. */
  lastFile: { name: string; text: string } | null = null;
  /** Names the remarks that were dismissed. */
  seenImport = $state("");
  leftTab = $state<LeftTab>("library");
  rightTab = $state<RightTab>("joints");
  /** Which panel is drawn over the view, where the window is too narrow for all. */
  drawer = $state<"left" | "right" | null>(null);
  narrow = $state(false);
  /** Where the menu of the view stands open. */
  context = $state.raw<ContextSpot | null>(null);
  flying = $state(false);
  /** Whether the waypoints of the motion are laid out. */
  waypoints = $state(false);
  /** Whether what runs is laid out. */
  running = $state(false);
  /** Whether what runs is traced without being asked. */
  traces = true;
  /** Programs whose controls were shown. */
  private met: readonly number[] = [];
  /** The frame chosen in the panels, null for the last one. */
  frame = $state<string | null>(null);

  constructor(readonly studio: StudioHost) {
    this.live = liveOf(studio);
    this.tour = new Tour(this, localStore());
    const off = studio.on("welcome", ({ recovered, read_only }) => {
      off();
      if (recovered.length && !read_only && !studio.settings.leftOpen)
        this.toasts.say("Unsaved work from an earlier session is in the library");
    });
    studio.on("notice", (notice) => this.toasts.say(notice.message, notice.level));
    studio.on("run", ({ isOn }) => {
      if (!isOn || this.running) return;
      this.running = true;
      // the way of its first frame is what one wants to see, until one says otherwise
      const { overlays } = studio.settings;
      const hasFrame = (studio.model?.siteCount ?? 0) > (studio.model?.linkCount ?? 0);
      if (this.traces && hasFrame && !overlays.includes("traces"))
        studio.setSetting("overlays", [...overlays, "traces"]);
    });
    studio.on("programs", ({ list }) => this.followPrograms(list));
    studio.on("picture", ({ width, height, reply, fail }) => {
      if (this.viewer === null) fail("the page has no 3D view");
      else this.viewer.screenshot(width, height).then(reply, (error: Error) => fail(error.message));
    });
    studio.on("model", () => {
      this.running = false;
      this.context = null;
    });
    studio.on("progress", (progress) => this.toasts.progress(progress.share, progress.label));
  }

  /** Shows the controls of a program when it has its first; elsewhere when the last has gone. */
  private followPrograms(list: readonly ProgramData[]): void {
    const { programs } = this.studio;
    if (list.length === 0 && this.rightTab === "program") this.rightTab = "joints";
    for (const { program, connected, name } of list) {
      if (!connected || this.met.includes(program) || programs.controls(program).length === 0)
        continue;
      this.met = [...this.met, program];
      if (!this.narrow) this.showRight("program");
      else {
        this.rightTab = "program";
        this.toasts.say(`The controls of '${name}' are in the right panel`);
      }
    }
  }

  /** Waits for what the studio was asked; problems are said, never thrown on. */
  ask<T>(
    label: string,
    request: Promise<T> | { promise: Promise<T>; cancel: () => void },
  ): Promise<T | null> {
    return request instanceof Promise
      ? this.toasts.run(label, request)
      : this.toasts.run(label, request.promise, request.cancel);
  }

  /** Whether keys fly the view without the right button. */
  setFlying(on: boolean): void {
    this.flying = on;
    if (this.viewer) this.viewer.flying = on;
  }

  togglePanel(side: "left" | "right"): void {
    if (this.narrow) this.drawer = this.drawer === side ? null : side;
    else {
      const key = side === "left" ? "leftOpen" : "rightOpen";
      this.studio.setSetting(key, !this.studio.settings[key]);
    }
  }

  showLeft(tab: LeftTab): void {
    this.leftTab = tab;
    if (this.narrow) this.drawer = "left";
    else this.studio.setSetting("leftOpen", true);
  }

  showRight(tab: RightTab): void {
    this.rightTab = tab;
    if (this.narrow) this.drawer = "right";
    else this.studio.setSetting("rightOpen", true);
  }
}

/** What a part sees of it: panels, view and devices, and those subjects of the store that it names. */
export type AppOf<Host = object> = Omit<App, "studio" | "live" | "viewer"> & {
  readonly studio: Host;
  readonly live: LiveOf<Host>;
  viewer: Omit<Viewer, "studio"> | null;
};

const [useWhole, provideApp] = createContext<App>();
export { provideApp };

/** The app for a panel, which names the subjects of the store that it uses. */
export function useApp<Host = object>(): AppOf<Host>;
export function useApp(): App {
  return useWhole();
}
