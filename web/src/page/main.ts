// An exported page: one mechanism to drag, with its sliders and phantoms; no server.
import { mount } from "svelte";
import { loadKernels } from "../kernel/kernels.ts";
import { type SingularFinder, WorkerFinder } from "../kernel/singular/finder.ts";
import SingularWorker from "../kernel/singular/worker.ts?worker&inline";
import { Studio } from "../store/studio.ts";
import { App } from "../ui/state/app.svelte.ts";
import "../ui/theme.css";
import { embed } from "../view/links/meshes/embedded.ts";
import type { ItemShown, LightData, ModelData, MotionData, ObjectData } from "../wire/messages.ts";
import { connectParent } from "./bridge.ts";
import PageView from "./PageView.svelte";

/** What the file carries; `kinegen.studio.jobs.page_file.page` writes it. */
export interface Content {
  title: string;
  description: string;
  text: string;
  model: ModelData;
  q: number[];
  objects: ObjectData[];
  lights: LightData[];
  motions: MotionData[];
  /** What a program had drawn. */
  items: Omit<ItemShown, "kind">[];
  /** What of a world does not run here, in words; '' where it is none. */
  left_out: string;
}

/** Looks for singular poses beside the page; where a page may have no workers, in it. */
function finder(): SingularFinder | undefined {
  try {
    return new WorkerFinder(new SingularWorker());
  } catch {
    return undefined;
  }
}

/** Shows the mechanism, with its meshes; called by the script at the end of the file. */
export async function start(
  target: HTMLElement,
  wasm: ArrayBuffer,
  content: Content,
  files: ReadonlyMap<string, ArrayBuffer> = new Map(),
): Promise<void> {
  embed(files);
  const studio = new Studio({ kernels: await loadKernels(wasm), finder: finder() });
  const app = new App(studio);
  mount(PageView, { target, props: { app, content } });
  const { title, description, text, model, q, objects, lights, motions, items } = content;
  studio.takeSnapshot({
    kind: "snapshot",
    version: 1,
    author: 0,
    text,
    file: null,
    dirty: false,
    title,
    description,
    model,
    q,
    pose_changed: true,
    problems: [],
    complaint: null,
    undo: null,
    redo: null,
    motions,
    objects,
    devices: [],
    world: null,
    lights,
    wall: null,
    imported: null,
  });
  for (const item of items) studio.programs.shown(item);
  connectParent(studio);
  Object.defineProperty(window, "kinegen", {
    value: {
      studio,
      get viewer() {
        return app.viewer;
      },
      get headset() {
        return app.headset;
      },
    },
  });
}
