// The sheet of what is shown, and of how parts are let go.
import type { ChoiceHost } from "../../store/hosts.ts";
import type { Overlay } from "../../store/settings.ts";
import type { ButtonItem, Sheet } from "./rows.ts";
import { buttons } from "./sheet-rows.ts";

const OVERLAYS: readonly [string, Overlay][] = [
  ["Limits", "limits"],
  ["Speeds", "speeds"],
  ["Traces", "traces"],
  ["Efforts", "efforts"],
  ["Link load", "loads"],
  ["Contacts", "contacts"],
];

export function viewSheet(studio: ChoiceHost): Sheet {
  const { settings } = studio;
  const style = (label: string, value: typeof settings.renderMode): ButtonItem => ({
    ...{ label, isOn: settings.renderMode === value },
    run: () => studio.setSetting("renderMode", value),
  });
  const flag = (
    label: string,
    key:
      | "showAxes"
      | "showFrames"
      | "shadows"
      | "phantoms"
      | "keepLimits"
      | "showCollisions"
      | "avoidCollisions"
      | "haptics",
  ): ButtonItem => ({
    ...{ label, isOn: settings[key], run: () => studio.setSetting(key, !settings[key]) },
  });
  const overlay = ([label, name]: readonly [string, Overlay]): ButtonItem => {
    const isOn = settings.overlays.includes(name);
    const rest = settings.overlays.filter((one) => one !== name);
    return {
      ...{ label, isOn },
      run: () => studio.setSetting("overlays", isOn ? rest : [...rest, name]),
    };
  };
  return {
    title: "View",
    rows: [
      buttons(
        style("Solid", "solid"),
        style("Wireframe", "wireframe"),
        style("Glass", "transparent"),
      ),
      buttons(flag("Axes", "showAxes"), flag("Frames", "showFrames"), flag("Shadows", "shadows")),
      buttons(...OVERLAYS.slice(0, 3).map(overlay)),
      buttons(...OVERLAYS.slice(3).map(overlay)),
      buttons(flag("Phantoms", "phantoms"), flag("Respect limits", "keepLimits")),
      buttons(
        flag("Show collisions", "showCollisions"),
        flag("Avoid collisions", "avoidCollisions"),
      ),
      buttons(
        {
          label: "Spring back on release",
          isOn: settings.releaseMode === "spring",
          run: () =>
            studio.setSetting("releaseMode", settings.releaseMode === "spring" ? "keep" : "spring"),
        },
        flag("Haptics", "haptics"),
      ),
    ],
  };
}
