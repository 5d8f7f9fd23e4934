// Colours of links and modes: the same in both views and in the panel.
import type { Workspace } from "../../store/workspace/workspace.ts";

/** Okabe and Ito's colours (2008), distinct to all eyes; as in src/kinegen/workspace/colours.py. */
const SAFE = [
  "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#6e6e6e",
]; // prettier-ignore
/** Zones begin with a colour that stands out from both backgrounds. */
const MODES = [
  "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#6e6e6e",
]; // prettier-ignore

/** One colour per group, #rrggbb. */
export function groupColors(workspace: Workspace, dark: boolean): string[] {
  const { cloud, groups } = workspace;
  const given = cloud?.palettes[workspace.palette].map(hex);
  const colors = cloud
    ? (given ?? SAFE)
    : dark
      ? ["#56b4e9", ...MODES.slice(1, 5), "#0072b2"]
      : MODES;
  return groups.map((_, i) => colors[i % colors.length]);
}

const hex = (color: readonly number[]): string =>
  `#${color.map((x) => x.toString(16).padStart(2, "0")).join("")}`;
