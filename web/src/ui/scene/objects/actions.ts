// What can be done with objects: bring a mesh into the project, change one, let a tool take it.
import type { ObjectKeys, RemoveEntry, Shape, ShapeData } from "../../../wire/messages.ts";
import type { ChoiceHost, ModelHost, RequestHost, SceneHost } from "../../../store/hosts.ts";
import type { PageModel } from "../../../kernel/page-model.ts";
import { placeOf, poseAt } from "../../../kernel/spatial.ts";
import type { AppOf } from "../../state/app.svelte.ts";
import { roomFor } from "./objects.ts";
import { freshName } from "../../names.ts";
import { meshScale } from "./mesh-scale.ts";

type PlacingApp = AppOf<ModelHost & ChoiceHost & RequestHost>;

/** Changes keys of an object; keys that are null go, others stay. */
export function updateObject(
  app: AppOf<RequestHost>,
  name: string,
  keys: ObjectKeys,
  label: string,
): Promise<unknown> {
  return app.ask("Changing", app.studio.editStructure("update_object", { name, keys, label }));
}

export function removeEntry(
  app: AppOf<RequestHost>,
  section: RemoveEntry["section"],
  name: string,
): Promise<unknown> {
  return app.ask("Removing", app.studio.editStructure("remove_entry", { section, name }));
}

/** Asks the studio for a short way to an object and shows it; a card asks whether to go. */
export async function grasp(
  app: AppOf<ModelHost & SceneHost>,
  object: string,
  frame: string | null = null,
): Promise<void> {
  const { studio } = app;
  const { model } = studio;
  const pose = studio.scene.pose(object);
  if (!model || !pose) return;
  const tool = frame ?? nearestTool(model, studio.poses, placeOf(pose));
  await app.ask("Planning the grasp", studio.scene.propose(object, tool));
}

/** The tool frame that is nearest to a place: the last frame of each robot counts as its tool. */
export function nearestTool(
  model: Pick<PageModel, "data" | "linkCount">,
  poses: Float64Array,
  place: readonly number[],
): string | null {
  const tools = new Map<string, number>();
  model.data.frames.forEach(({ name }, i) => tools.set(robotOf(name, model.data.robots), i));
  const far = (i: number): number => {
    const at = placeOf(poseAt(poses, model.linkCount + i));
    return Math.hypot(...at.map((x, k) => x - place[k]));
  };
  const [best] = [...tools.values()].sort((a, b) => far(a) - far(b));
  return best === undefined ? null : model.data.frames[best].name;
}

/** The robot in whose name a joint or frame is; '' for the mechanism's own. */
export function robotOf(name: string, robots: readonly string[]): string {
  return robots.find((robot) => name === robot || name.startsWith(`${robot}.`)) ?? "";
}

/** Adds an object of a shape where there is room, and selects it. */
export function addObject(app: PlacingApp, prefix: string, shape: Shape): void {
  const { studio } = app;
  const objects = studio.snapshot?.objects ?? [];
  const model = studio.must();
  const { data } = model;
  const taken = [...objects, ...data.joints, ...data.frames].map((one) => one.name);
  const xyz = roomFor(model, studio.poses, objects.length);
  const name = freshName(prefix, taken);
  const index = objects.length;
  const request = studio.editStructure("add_object", { name, shape, at: { xyz } });
  void app.ask(
    "Adding an object",
    request.then(() => studio.select({ kind: "object", index })),
  );
}

/** Brings a mesh file of this computer into the scene. */
export async function addMeshObject(app: PlacingApp, file: File): Promise<void> {
  const shape = await app.ask("Uploading", uploadMesh(app, file));
  if (shape) addObject(app, "mesh", shape);
}

/** Puts a mesh file beside the mechanism's text; the shape that shows it. */
export async function uploadMesh(app: AppOf<ModelHost>, file: File): Promise<ShapeData> {
  const folder = app.studio.snapshot?.file?.replace(/[^/]*$/, "") ?? "";
  const name = file.name.replace(/[^\w.-]+/g, "-");
  const response = await fetch(`upload?file=${encodeURIComponent(folder + name)}`, {
    method: "POST",
    body: file,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text || `${file.name} was not uploaded (${response.status})`);
  // a name that was taken by another mesh has got a number
  const mesh = (JSON.parse(text) as { file: string }).file.slice(folder.length);
  const scale = meshScale(name, await file.arrayBuffer(), app.studio.model?.size ?? 1);
  return scale === 1 ? { mesh } : { mesh, scale };
}
