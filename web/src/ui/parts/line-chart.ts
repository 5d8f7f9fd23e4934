// A uPlot chart over any quantity: gaps, limits as bands, one place under the pointer, one marked.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { roomySpan, wideSpan } from "./chart-range.ts";

export interface ChartLine {
  label: string;
  /** CSS colour. */
  color: string;
  /** In shown units; null or NaN are gaps. */
  values: readonly (number | null)[];
  /** Beyond these the values are not allowed. */
  low?: number;
  high?: number;
}

export interface ChartLook {
  xUnit: string;
  yUnit: string;
  /** Shades what is beyond the limits; for a chart of one line. */
  bands?: boolean;
  /** Powers of ten at equal distances. */
  log?: boolean;
}

/** Beyond so many values single ones have no dot of their own. */
const DOTTED = 80;

export class LineChart {
  private chart: uPlot | null = null;
  private key = "";
  private mark: number | null = null;
  private lines: readonly ChartLine[] = [];
  private readonly observer: ResizeObserver;

  constructor(
    private readonly node: HTMLElement,
    private readonly on: {
      hover?: (index: number | null) => void;
      pick?: (index: number) => void;
    } = {},
  ) {
    this.observer = new ResizeObserver(() => this.chart?.setSize(this.size()));
    this.observer.observe(node);
  }

  show(xs: readonly number[], lines: readonly ChartLine[], look: ChartLook): void {
    this.lines = lines;
    const known = lines.map(({ label, color }) => [label, color]);
    const key = JSON.stringify([known, look, xs.length > DOTTED]);
    const data = [
      [...xs],
      ...lines.map(({ values }) => values.map((x) => (Number.isFinite(x) ? x : null))),
    ] as uPlot.AlignedData;
    if (this.chart && key === this.key) this.chart.setData(data);
    else {
      this.key = key;
      this.chart?.destroy();
      this.chart = new uPlot(this.options(lines, look, xs.length), data, this.node);
    }
  }

  /** Draws a line at a value of x; null for none. */
  at(x: number | null): void {
    if (x === this.mark) return;
    this.mark = x;
    this.chart?.redraw(false);
  }

  /** Colours have changed: it is created again with the next data. */
  forget(): void {
    this.key = "";
  }

  destroy(): void {
    this.observer.disconnect();
    this.chart?.destroy();
  }

  private options(lines: readonly ChartLine[], look: ChartLook, count: number): uPlot.Options {
    const style = getComputedStyle(this.node);
    const css = (name: string): string => style.getPropertyValue(name);
    const axis = {
      stroke: css("--text-faint"),
      font: `11px ${css("--font")}`,
      grid: { stroke: css("--line"), width: 1 },
      ticks: { show: false },
    };
    const number = (x: number): string => `${Number(x.toPrecision(4))}`.replace("-", "−");
    return {
      ...this.size(),
      legend: { show: false },
      padding: [8, 12, 0, 0],
      cursor: { points: { size: 7 }, drag: { x: false, y: false }, y: false },
      scales: {
        x: { time: false, range: (_, low, high) => wideSpan(low, high) },
        y: look.log ? { distr: 3 } : { range: (_, low, high) => roomySpan(low, high) },
      },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map(number), size: 24, space: 44 },
        {
          ...axis,
          values: (_, ticks) =>
            ticks.map((y) => (y === null ? "" : look.yUnit === "°" ? `${number(y)}°` : number(y))),
          size: 46,
          space: 26,
          ...(look.log ? { splits: (_, __, low, high) => powers(low, high) } : {}),
        },
      ],
      series: [
        {},
        ...lines.map(({ label, color }) => ({
          label,
          stroke: color,
          width: 1.75,
          points: { show: count <= DOTTED && !look.log, size: 4, fill: color, width: 0 },
        })),
      ],
      hooks: {
        drawClear: [
          (chart) => {
            if (look.bands) this.drawBands(chart, css("--danger"));
          },
        ],
        draw: [(chart) => this.drawMark(chart, css("--accent"))],
        setCursor: [
          (chart) => {
            const { idx, left } = chart.cursor;
            this.on.hover?.(left === undefined || left < 0 ? null : (idx ?? null));
          },
        ],
        ready: [
          (chart) =>
            chart.over.addEventListener("click", () => {
              const { idx } = chart.cursor;
              if (idx !== undefined && idx !== null) this.on.pick?.(idx);
            }),
        ],
      },
    };
  }

  /** What is beyond the limits, tinted; the limits themselves as dashed lines. */
  private drawBands(chart: uPlot, color: string): void {
    const { ctx, bbox } = chart;
    const { low = -Infinity, high = Infinity } = this.lines[0] ?? {};
    const bottom = bbox.top + bbox.height;
    ctx.save();
    ctx.fillStyle = ctx.strokeStyle = color;
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.lineWidth = devicePixelRatio;
    for (const [limit, isHigh] of [
      [low, false],
      [high, true],
    ] as const) {
      if (!Number.isFinite(limit)) continue;
      const y = Math.min(bottom, Math.max(bbox.top, chart.valToPos(limit, "y", true)));
      const [top, height] = isHigh ? [bbox.top, y - bbox.top] : [y, bottom - y];
      if (height < 1) continue;
      ctx.globalAlpha = 0.1;
      ctx.fillRect(bbox.left, top, bbox.width, height);
      ctx.globalAlpha = 0.7;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  private drawMark(chart: uPlot, color: string): void {
    if (this.mark === null) return;
    const x = chart.valToPos(this.mark, "x", true);
    const { ctx, bbox } = chart;
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.lineWidth = 1.5 * devicePixelRatio;
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
}

/** Powers of ten in a range, not more than five. */
function powers(low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first) / 4));
  return Array.from(
    { length: Math.floor((last - first) / step) + 1 },
    (_, i) => 10 ** (first + i * step),
  );
}
