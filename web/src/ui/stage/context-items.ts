// What the menu of the view offers, on a part and beside it.
import type {
  ChoiceHost,
  DragHost,
  ModelHost,
  NoticeHost,
  PoseHost,
  RequestHost,
  SceneHost,
} from "../../store/hosts.ts";
import type { Vec3 } from "../../kernel/dragger.ts";
import type { AddJoint } from "../../wire/messages.ts";
import type { MenuItem } from "../parts/Menu.svelte";
import { chooseFile } from "../commands/actions.ts";
import { freshName } from "../names.ts";
import { grasp, removeEntry, updateObject, uploadMesh } from "../scene/objects/actions.ts";
import type { AppOf } from "../state/app.svelte.ts";

type PartApp = AppOf<ModelHost & DragHost & ChoiceHost & NoticeHost & RequestHost>;

export function emptyItems(app: AppOf<PoseHost & DragHost & NoticeHost>): MenuItem[] {
  return [
    { label: "Fit the mechanism", icon: "fit", keys: "F", run: () => app.viewer?.fit() },
    {
      label: "Back to the start pose",
      icon: "rewind",
      disabled: app.studio.readOnly,
      run: () => app.studio.home(),
    },
    {
      label: "Remove all pins",
      icon: "pin",
      disabled: app.studio.pins.length === 0,
      run: () => {
        for (let i = app.studio.pins.length - 1; i >= 0; i -= 1) app.studio.unpin(i);
      },
    },
  ];
}

/** Items for an object of the scene. */
export function objectItems(app: PartApp & AppOf<PoseHost & SceneHost>, index: number): MenuItem[] {
  const { studio } = app;
  const object = studio.scene.objects[index];
  if (!object) return emptyItems(app);
  const { name, fixed } = object;
  const carried = studio.scene.isCarried(name);
  const locked = studio.readOnly;
  return [
    carried
      ? {
          label: "Release it",
          icon: "grasp",
          disabled: locked,
          run: () => void app.ask("Releasing", studio.scene.release(name)),
        }
      : {
          label: "Grasp it",
          icon: "grasp",
          disabled: locked || fixed,
          run: () => void grasp(app, name),
        },
    {
      label: "Position and size…",
      icon: "edit",
      run: () => {
        app.showRight("scene");
        studio.select({ kind: "object", index });
      },
    },
    {
      label: "Fixed",
      checked: fixed,
      disabled: locked || carried,
      run: () =>
        void updateObject(
          app,
          name,
          { fixed: fixed ? null : true },
          `${fixed ? "Free" : "Fix"} ${name}`,
        ),
    },
    {
      label: `Delete ${name}`,
      icon: "trash",
      danger: true,
      apart: true,
      disabled: locked,
      run: () => void removeEntry(app, "objects", name),
    },
  ];
}

/** Items for a link; point: where it was touched, in the link's frame. */
export function partItems(app: PartApp, link: number, point?: Vec3): MenuItem[] {
  const { studio } = app;
  return [
    { label: "Pin here", icon: "pin", run: () => studio.pin(link, point) },
    { label: "Trace this point", icon: "trace", run: () => toggleTrace(app, link) },
    ...addingItems(app, link, point),
    ...bodyItems(app, link),
  ];
}

/** What can be added to a link. */
function addingItems(app: PartApp, link: number, point?: Vec3): MenuItem[] {
  const { studio } = app;
  const { data } = studio.must();
  const parent = data.links[link];
  const row: AddJoint["row"] = point ? { xyz: Array.from(point, (x) => Number(x.toFixed(4))) } : {};
  const names = [...data.joints, ...data.frames].map((one) => one.name);
  const add = (kind: "add_joint" | "add_frame", prefix: string) =>
    studio.editStructure(kind, { name: freshName(prefix, names), parent, row });
  const disabled = studio.readOnly;
  return [
    {
      ...{ label: "Add a joint here", icon: "plus", disabled, apart: true },
      run: () => void app.ask("Adding a joint", add("add_joint", "J")),
    },
    {
      ...{ label: "Add a frame here", icon: "pose", disabled },
      run: () => void app.ask("Adding a frame", add("add_frame", "frame")),
    },
  ];
}

/** How a link looks, and its end: both are those of the joint that moves it. */
function bodyItems(app: PartApp, link: number): MenuItem[] {
  const { studio } = app;
  const { data } = studio.must();
  const joint = data.joints.find((one) => one.child === link && !one.is_cut);
  const owner = joint?.name ?? data.links[link];
  const disabled = studio.readOnly || !joint?.editable;
  return [
    {
      ...{ label: "Show a mesh file instead…", icon: "mesh", apart: true, disabled },
      run: () => void showMesh(app, owner),
    },
    {
      ...{ label: "Draw it from its joints", icon: "cube" },
      disabled: disabled || data.link_shapes[link] === "auto",
      run: () =>
        void app.ask(
          "Changing the shape",
          studio.editStructure("set_shape", { owner, shape: null }),
        ),
    },
    {
      ...{ label: `Delete ${owner}`, icon: "trash", danger: true, apart: true, disabled },
      run: () => void app.ask("Deleting", studio.editStructure("remove_joint", { name: owner })),
    },
  ];
}

/** Gives a link the body of a mesh file, in the link's frame. */
async function showMesh(app: AppOf<ModelHost & RequestHost>, joint: string): Promise<void> {
  const file = await chooseFile(".stl,.obj,.ply,.dae,.gltf,.glb");
  const shape = file && (await app.ask("Uploading", uploadMesh(app, file)));
  if (!shape) return;
  const edit = { owner: joint, shape };
  await app.ask("Changing the shape", app.studio.editStructure("set_shape", edit));
}

/** Draws the way of one site alone; of none where it is negative. */
export function traceOnly(app: AppOf<ChoiceHost>, site: number): void {
  const { studio } = app;
  app.traces = site >= 0;
  const others = studio.settings.overlays.filter((one) => one !== "traces");
  studio.setOverlay({ traces: site < 0 ? [] : [site] });
  studio.setSetting("overlays", site < 0 ? others : [...others, "traces"]);
}

/** Draws the way of a site from now on, or no more. */
export function toggleTrace({ studio }: AppOf<ChoiceHost>, site: number): void {
  const { traces } = studio.overlay;
  const on = !traces.includes(site);
  studio.setOverlay({ traces: on ? [...traces, site] : traces.filter((one) => one !== site) });
  const { overlays } = studio.settings;
  if (on && !overlays.includes("traces")) studio.setSetting("overlays", [...overlays, "traces"]);
}
