// A page inside a notebook: poses, hands and what programs draw go between it and the kernel.
import type { DragHost, PoseHost, ProgramHost } from "../store/hosts.ts";
import type { ItemHidden, ItemShown } from "../wire/messages.ts";

/** What the notebook sends. */
type FromNotebook =
  { kinegen: "pose"; q: number[] } | { kinegen: "message"; message: ItemShown | ItemHidden };

/** Connects the page with the window around it; a page that stands alone stays as it is. */
export function connectParent(studio: PoseHost & DragHost & ProgramHost): void {
  const { parent } = window;
  if (parent === window) return;
  const say = (content: object): void => parent.postMessage(content, "*");
  window.addEventListener("message", ({ source, data }: MessageEvent<FromNotebook | null>) => {
    if (source !== parent || !data) return;
    if (data.kinegen === "pose" && studio.grabs.length === 0 && data.q.every(Number.isFinite))
      studio.setPose(Float64Array.from(data.q), "remote");
    // the kernel's items take the place of those that the page was made with
    if (data.kinegen === "message") studio.programs.forget(0);
    if (data.kinegen === "message" && data.message.kind === "item_shown")
      studio.programs.shown(data.message);
    if (data.kinegen === "message" && data.message.kind === "item_hidden")
      studio.programs.hidden(data.message);
  });
  studio.on("pose", (source) => {
    if (source !== "remote" && source !== "snapshot")
      say({ kinegen: "pose", q: Array.from(studio.q) });
  });
  studio.on("grabs", (grabs) => {
    const sites = grabs.map(({ spec }) => studio.model?.siteNames[spec.site] ?? "");
    say({ kinegen: "hand", active: sites.length > 0, sites });
  });
  // what came before this page was loaded comes again
  say({ kinegen: "ready" });
}
