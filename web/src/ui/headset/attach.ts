// The headset of a view: what it can do and shows, for buttons and dialogs.
import type { StudioHost } from "../../store/hosts.ts";
import type { Viewer } from "../../view/viewer.ts";
import { Headset } from "../../xr/session/headset.ts";
import type { AppOf } from "../state/app.svelte.ts";

/** Gives the page a headset for its view; returns what ends it. */
export function attachHeadset(app: AppOf<StudioHost>, viewer: Viewer): () => void {
  const headset = new Headset(viewer, app.studio);
  headset.changed = () => (app.immersion = { ...headset.abilities, mode: headset.mode });
  headset.changed();
  app.headset = headset;
  return () => {
    app.headset = null;
    headset.dispose();
  };
}
