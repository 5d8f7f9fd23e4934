// Files of the charts: a picture, a drawing, a table.
import { download } from "../../commands/actions.ts";
import { groupBy } from "../../group.ts";
import { curveColor } from "../../parts/charts/colors.ts";
import type { MenuItem } from "../../parts/Menu.svelte";
import { stacked } from "../../parts/charts/picture.ts";
import { toCsv, toSvg } from "./series.ts";

export interface ChartCurve {
  label: string;
  /** Its place among the colours. */
  color: number;
  unit: string;
  values: number[];
}

/** What the charts show now. */
export interface ChartContent {
  /** Of the files, without a suffix. */
  name: string;
  /** Of the horizontal axis. */
  label: string;
  times: readonly number[];
  curves: readonly ChartCurve[];
  isSingle: boolean;
  area: HTMLElement | undefined;
}

/** Angles and lengths have scales of their own; single: every curve has. */
export function chartGroups<C extends { unit: string }>(
  curves: readonly C[],
  isSingle: boolean,
): C[][] {
  return isSingle
    ? curves.map((curve) => [curve])
    : [...groupBy(curves, (curve) => curve.unit).values()];
}

export function exportItems(content: () => ChartContent): MenuItem[] {
  const saveText = (suffix: string, text: string, type: string): void =>
    download(`${content().name}.${suffix}`, new Blob([text], { type }));
  return [
    {
      ...{ label: "PNG picture", icon: "camera" },
      run: async () => {
        const { name, area } = content();
        const blob = area && (await stacked([...area.querySelectorAll("figure")]));
        if (blob) download(`${name}.png`, blob);
      },
    },
    {
      ...{ label: "SVG drawing", icon: "smooth" },
      run: () => {
        const { curves, times, isSingle } = content();
        const colored = curves.map((curve) => ({ ...curve, color: curveColor(curve.color) }));
        // one drawing per chart: degrees and millimetres share no scale
        saveText("svg", toSvg(times, chartGroups(colored, isSingle)), "image/svg+xml");
      },
    },
    {
      ...{ label: "CSV table", icon: "table" },
      run: () => {
        const { label, curves, times } = content();
        const heads = [label, ...curves.map((curve) => `${curve.label} [${curve.unit}]`)];
        saveText("csv", toCsv(heads, [times, ...curves.map((curve) => curve.values)]), "text/csv");
      },
    },
  ];
}
