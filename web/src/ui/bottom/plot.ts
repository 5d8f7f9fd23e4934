// A uPlot chart that follows its container's size and the page's colours.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { roomySpan, wideSpan } from "../parts/chart-range.ts";
import { curveColor } from "./colors.ts";

export interface PlotCurve {
  label: string;
  color: number;
  values: readonly number[];
}

export class Plot {
  private chart: uPlot | null = null;
  private key = "";
  private readonly observer: ResizeObserver;
  private time: number | null = null;

  constructor(
    private readonly node: HTMLElement,
    private readonly onseek: (time: number) => void,
  ) {
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(node);
  }

  show(times: readonly number[], curves: readonly PlotCurve[], unit: string, below = "s"): void {
    const key = JSON.stringify([curves.map((curve) => [curve.label, curve.color]), unit, below]);
    // where there is no number the line has a gap
    const gapped = (values: readonly number[]): (number | null)[] =>
      values.map((value) => (Number.isFinite(value) ? value : null));
    const data = [[...times], ...curves.map(({ values }) => gapped(values))] as uPlot.AlignedData;
    if (this.chart && key === this.key) {
      this.chart.setData(data);
      return;
    }
    this.key = key;
    this.chart?.destroy();
    this.chart = new uPlot(this.options(curves, unit, below), data, this.node);
  }

  /** Where the player is; null for nowhere. */
  mark(time: number | null): void {
    this.time = time;
    this.chart?.redraw(false);
  }

  /** Colours have changed: everything is created again with the next data. */
  forget(): void {
    this.key = "";
  }

  destroy(): void {
    this.observer.disconnect();
    this.chart?.destroy();
  }

  private options(curves: readonly PlotCurve[], unit: string, below: string): uPlot.Options {
    const style = getComputedStyle(this.node);
    const [faint, line] = [
      style.getPropertyValue("--text-faint"),
      style.getPropertyValue("--line"),
    ];
    const axis = {
      stroke: faint,
      font: `11px ${style.getPropertyValue("--font")}`,
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
    };
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
            ticks.map((t) => `${Number(t.toFixed(3))}${below === "°" ? "" : " "}${below}`),
          size: 28,
        },
        {
          ...axis,
          values: (_, ticks) =>
            ticks.map((v) => `${Number(v.toPrecision(5))}${unit === "°" ? "°" : ""}`),
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
        draw: [(chart) => this.drawMark(chart, style.getPropertyValue("--text"))],
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

  private drawMark(chart: uPlot, color: string): void {
    if (this.time === null) return;
    const x = chart.valToPos(this.time, "x", true);
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  private size(): { width: number; height: number } {
    return {
      width: Math.max(80, this.node.clientWidth),
      height: Math.max(60, this.node.clientHeight),
    };
  }

  private resize(): void {
    this.chart?.setSize(this.size());
  }
}
