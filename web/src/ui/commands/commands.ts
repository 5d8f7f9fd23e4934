// Everything a key can do, with the words of the help sheet.
import type {
  ChoiceHost,
  DesignHost,
  DragHost,
  ModelHost,
  MotionHost,
  RequestHost,
  SceneHost,
  SimulationHost,
  SingularHost,
  TextHost,
} from "../../store/hosts.ts";
import type { ViewName } from "../../view/camera/camera.ts";
import type { AppOf } from "../state/app.svelte.ts";
import { saveNow, takePicture } from "./actions.ts";
import { simulateWorld } from "../world/simulate.ts";

/** What commands move, all in all. */
export type CommandApp = AppOf<
  ModelHost &
    DragHost &
    ChoiceHost &
    MotionHost &
    SimulationHost &
    SingularHost &
    SceneHost &
    DesignHost &
    TextHost &
    RequestHost
>;

export interface Command {
  group: "File" | "Edit" | "View" | "Grab" | "Motion" | "Page";
  label: string;
  /** 'Mod' is Ctrl, or Command on a Mac; first is shown, all work. */
  keys: readonly string[];
  run: (app: CommandApp) => void;
}

const view =
  (name: ViewName) =>
  (app: AppOf): void =>
    app.viewer?.setView(name);

function toggleRecord(app: AppOf<MotionHost>): void {
  const { studio } = app;
  if (studio.recorder.recording) studio.stopRecording();
  else studio.startRecording();
}

function pinSelection(app: AppOf<ModelHost & DragHost & ChoiceHost>): void {
  const { selection, model } = app.studio;
  if (!selection || !model || selection.kind === "object") return;
  const data = model.data;
  const site =
    selection.kind === "frame"
      ? model.linkCount + selection.index
      : selection.kind === "joint"
        ? data.joints[selection.index].child
        : selection.index;
  app.studio.pin(site, selection.point);
}

export const COMMANDS: readonly Command[] = [
  { group: "File", label: "Open", keys: ["Mod+O"], run: (app) => (app.dialog = "open") },
  { group: "File", label: "Save", keys: ["Mod+S"], run: saveNow },
  { group: "File", label: "Save as", keys: ["Mod+Shift+S"], run: (app) => (app.dialog = "save") },
  { group: "File", label: "Download", keys: ["Mod+E"], run: (app) => (app.dialog = "export") },
  { group: "File", label: "Save a picture", keys: ["Shift+P"], run: takePicture },
  {
    group: "Edit",
    label: "Undo",
    keys: ["Mod+Z"],
    run: (app) => void app.ask("Undo", app.studio.undo()),
  },
  {
    group: "Edit",
    label: "Redo",
    keys: ["Mod+Shift+Z", "Mod+Y"],
    run: (app) => void app.ask("Redo", app.studio.redo()),
  },
  {
    group: "Edit",
    label: "Leave stereo, clear the selection",
    keys: ["Escape"],
    run: ({ studio }) => {
      if (studio.settings.stereo !== "off") {
        studio.setSetting("stereo", "off");
        return;
      }
      studio.simulation.hands.releaseAll();
      studio.singularity.dismiss();
      studio.scene.dismiss();
      studio.designs.show({ hovered: null });
      studio.select(null);
    },
  },
  { group: "View", label: "Fit the mechanism", keys: ["F"], run: (app) => app.viewer?.fit() },
  { group: "View", label: "Front", keys: ["1"], run: view("front") },
  { group: "View", label: "Right", keys: ["2"], run: view("right") },
  { group: "View", label: "Top", keys: ["3"], run: view("top") },
  { group: "View", label: "Isometric", keys: ["0"], run: view("iso") },
  {
    group: "View",
    label: "2D view",
    keys: ["D"],
    run: ({ studio }) => studio.setSetting("planarView", !studio.settings.planarView),
  },
  { group: "View", label: "Stereo", keys: ["Shift+S"], run: (app) => (app.dialog = "stereo") },
  { group: "View", label: "Fly", keys: ["V"], run: (app) => app.setFlying(!app.flying) },
  { group: "View", label: "Solid, wireframe, glass", keys: ["W"], run: nextRenderMode },
  {
    group: "Grab",
    label: "Pull a point",
    keys: ["P"],
    run: (app) => app.studio.setSetting("dragMode", "point"),
  },
  {
    group: "Grab",
    label: "Rotate",
    keys: ["R"],
    run: (app) => app.studio.setSetting("dragMode", "rotate"),
  },
  {
    group: "Grab",
    label: "Pose",
    keys: ["G"],
    run: (app) => app.studio.setSetting("dragMode", "pose"),
  },
  {
    group: "Grab",
    label: "Stay or spring back",
    keys: ["K"],
    run: ({ studio }) =>
      studio.setSetting("releaseMode", studio.settings.releaseMode === "keep" ? "spring" : "keep"),
  },
  { group: "Grab", label: "Pin the selected part", keys: ["I"], run: pinSelection },
  {
    group: "Motion",
    label: "Run, play or pause",
    keys: ["Space"],
    run: (app) => {
      const { studio } = app;
      if (studio.run.isOn) studio.run.toggle();
      else if (studio.simulation.isOn) void studio.simulation.toggle();
      else if (studio.player.playing) studio.player.pause();
      else if (studio.player.motion) studio.player.play();
      else if (studio.snapshot?.world) simulateWorld(app);
      else studio.run.toggle();
    },
  },
  {
    group: "Motion",
    label: "Simulate or pause",
    keys: ["Shift+Space"],
    run: ({ studio }) => void studio.simulation.toggle(),
  },
  { group: "Motion", label: "Record", keys: ["Shift+R"], run: toggleRecord },
  { group: "Motion", label: "Step back", keys: [","], run: ({ studio }) => studio.player.step(-1) },
  {
    group: "Motion",
    label: "Step forward",
    keys: ["."],
    run: ({ studio }) => studio.player.step(1),
  },
  { group: "Page", label: "Library", keys: ["L"], run: (app) => app.showLeft("library") },
  { group: "Page", label: "Text", keys: ["T"], run: (app) => app.showLeft("text") },
  { group: "Page", label: "Left panel", keys: ["["], run: (app) => app.togglePanel("left") },
  { group: "Page", label: "Right panel", keys: ["]"], run: (app) => app.togglePanel("right") },
  {
    group: "Page",
    label: "Timeline and charts",
    keys: ["B"],
    run: ({ studio }) => studio.setSetting("bottomOpen", !studio.settings.bottomOpen),
  },
  { group: "Page", label: "Help", keys: ["?"], run: (app) => (app.dialog = "help") },
];

function nextRenderMode({ studio }: AppOf<ChoiceHost>): void {
  const modes = ["solid", "wireframe", "transparent"] as const;
  studio.setSetting("renderMode", modes[(modes.indexOf(studio.settings.renderMode) + 1) % 3]);
}
