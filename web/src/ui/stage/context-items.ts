// What the menu of the view offers, on a part and beside it.
import type { Vec3 } from "../../kernel/dragger.ts";
import type { MenuItem } from "../parts/Menu.svelte";
import { freshName } from "../names.ts";
import type { App } from "../state/app.svelte.ts";

export function emptyItems(app: App): MenuItem[] {
  return [
    { label: "Fit the mechanism", icon: "fit", keys: "F", run: () => app.viewer?.fit() },
    {
      label: "Back to the start pose",
      icon: "rewind",
      disabled: app.studio.readOnly,
      run: () => app.studio.home(),
    },
    {
      label: "Take out all pins",
      icon: "pin",
      disabled: app.studio.pins.length === 0,
      run: () => {
        for (let i = app.studio.pins.length - 1; i >= 0; i -= 1) app.studio.unpin(i);
      },
    },
  ];
}

/** Items for a link; point: where it was touched, in the link's frame. */
export function partItems(app: App, link: number, point?: Vec3): MenuItem[] {
  const { studio } = app;
  const data = studio.model!.data;
  const name = data.links[link]!;
  const joint = data.joints.find((one) => one.child === link && !one.is_cut);
  const place = point ? { xyz: Array.from(point, (x) => Number(x.toFixed(4))) } : {};
  const names = [...data.joints, ...data.frames].map((one) => one.name);
  const locked = studio.readOnly;
  const edit = (label: string, verb: "add_joint" | "add_frame" | "remove_joint", more: object) =>
    app.ask(label, studio.editStructure(verb, { ...more }));
  return [
    { label: "Pin here", icon: "pin", run: () => studio.pin(link, point) },
    { label: "Trace this point", icon: "trace", run: () => toggleTrace(app, link) },
    {
      label: "Add a joint here",
      icon: "plus",
      disabled: locked,
      apart: true,
      run: () =>
        void edit("Adding a joint", "add_joint", {
          name: freshName("J", names),
          parent: name,
          ...place,
        }),
    },
    {
      label: "Add a frame here",
      icon: "pose",
      disabled: locked,
      run: () =>
        void edit("Adding a frame", "add_frame", {
          name: freshName("frame", names),
          parent: name,
          ...place,
        }),
    },
    {
      label: `Delete ${joint?.name ?? name}`,
      icon: "trash",
      danger: true,
      apart: true,
      disabled: locked || !joint?.editable,
      run: () => void edit("Deleting", "remove_joint", { name: joint!.name }),
    },
  ];
}

/** Draws the way of a site from now on, or no more. */
export function toggleTrace({ studio }: App, site: number): void {
  const { traces } = studio.overlay;
  const on = !traces.includes(site);
  studio.setOverlay({ traces: on ? [...traces, site] : traces.filter((one) => one !== site) });
  const { overlays } = studio.settings;
  if (on && !overlays.includes("traces")) studio.setSetting("overlays", [...overlays, "traces"]);
}
