// Starts the studio's page: kernels, store, panels.
import { mount } from "svelte";
import { loadKernels } from "./kernel/kernels.ts";
import { WorkerFinder } from "./kernel/singular/finder.ts";
import { WorkerHeart } from "./store/robot/heart.ts";
import { localStore } from "./store/settings.ts";
import { Studio } from "./store/studio.ts";
import AppView from "./ui/App.svelte";
import { openShared, startOptions } from "./ui/state/start.ts";
import { App } from "./ui/state/app.svelte.ts";
import "./ui/theme.css";

async function start(target: HTMLElement): Promise<void> {
  const response = await fetch("kinegen.wasm");
  if (!response.ok) throw new Error(await response.text());
  const kernels = await loadKernels(await response.arrayBuffer());
  // in one piece, as Vite finds workers
  const worker = new Worker(new URL("./kernel/singular/worker.ts", import.meta.url), {
    type: "module",
  });
  const finder = new WorkerFinder(worker);
  const heart = new WorkerHeart(
    () => new Worker(new URL("./store/robot/heart-worker.ts", import.meta.url), { type: "module" }),
  );
  const sculptor = (): Worker =>
    new Worker(new URL("./kernel/hull/worker.ts", import.meta.url), { type: "module" });
  const connection = await startOptions();
  const screen = new URLSearchParams(location.search).get("screen");
  const options = { kernels, finder, connection, heart, sculptor, screen, store: localStore() };
  const app = new App(new Studio(options));
  mount(AppView, { target, props: { app } });
  Object.defineProperty(window, "kinegen", { value: stateOf(app) });
  await openShared(app);
}

/** What tests may look at. */
function stateOf(app: App): object {
  return {
    studio: app.studio,
    get viewer() {
      return app.viewer;
    },
    get headset() {
      return app.headset;
    },
    get frames() {
      return app.viewer?.frames ?? 0;
    },
  };
}

const target = document.getElementById("app")!;
start(target).catch((error: unknown) => {
  const words = error instanceof Error ? error.message : String(error);
  const note = document.createElement("p");
  note.className = "failure";
  note.textContent = `The studio could not start: ${words}`;
  target.replaceChildren(note);
});
