// The rows of a program's plot as the lines of a chart.
import type { PlotItem } from "../../wire/messages.ts";
import { doubles } from "../../wire/packed.ts";
import { curveColor } from "../parts/charts/colors.ts";
import type { ChartLine } from "../parts/charts/line-chart.ts";

export function plotLines({ series, data }: PlotItem): { xs: number[]; lines: ChartLine[] } {
  const rows = doubles(data);
  const width = 1 + series.length;
  const count = Math.floor(rows.length / width);
  const column = (k: number): number[] =>
    Array.from({ length: count }, (_, i) => rows[i * width + k] ?? NaN);
  return {
    xs: column(0),
    lines: series.map((label, k) => ({ label, color: curveColor(k), values: column(k + 1) })),
  };
}
