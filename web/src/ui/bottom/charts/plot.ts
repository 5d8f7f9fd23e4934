// Curves over time, or over the angle of an input: a click moves the player.
import type uPlot from "uplot";
import { roomySpan, wideSpan } from "../../parts/charts/chart-range.ts";
import { tickText, UplotChart } from "../../parts/charts/uplot-chart.ts";
import { curveColor } from "../../parts/charts/colors.ts";

export interface PlotCurve {
  label: string;
  color: number;
  values: readonly number[];
}

export class Plot extends UplotChart {
  constructor(
    node: HTMLElement,
    private readonly onseek: (time: number) => void,
  ) {
    super(node);
  }

  show(times: readonly number[], curves: readonly PlotCurve[], unit: string, below = "s"): void {
    const key = JSON.stringify([curves.map((curve) => [curve.label, curve.color]), unit, below]);
    this.draw(key, times, curves, () => this.options(curves, unit, below));
  }

  private options(curves: readonly PlotCurve[], unit: string, below: string): uPlot.Options {
    const [axis, mark] = [this.axis(), this.css("--text")];
    return {
      ...this.size(),
      legend: { show: false },
      padding: [22, 14, 0, 4],
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: (_, low, high) => wideSpan(low, high) },
        y: { range: (_, low, high) => roomySpan(low, high) },
      },
      axes: [
        {
          ...axis,
          values: (_, ticks) =>
            ticks.map((t) => `${tickText(t, 5)}${below === "°" ? "" : " "}${below}`),
          size: 28,
        },
        {
          ...axis,
          values: (_, ticks) => ticks.map((v) => `${tickText(v, 5)}${unit === "°" ? "°" : ""}`),
          size: 56,
        },
      ],
      series: [
        {},
        ...curves.map((curve) => ({
          label: curve.label,
          stroke: curveColor(curve.color),
          width: 1.5,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(chart) => this.drawMark(chart, mark, 1)],
        ready: [
          (chart) =>
            chart.over.addEventListener("click", () => {
              const { left } = chart.cursor;
              if (left !== undefined && left >= 0) this.onseek(chart.posToVal(left, "x"));
            }),
        ],
      },
    };
  }
}
