// A uPlot chart over any quantity: gaps, limits as bands, one place under the pointer, one marked.
import type uPlot from "uplot";
import { roomySpan, wideSpan } from "./chart-range.ts";
import { tickText, UplotChart } from "./uplot-chart.ts";

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

export class LineChart extends UplotChart {
  private lines: readonly ChartLine[] = [];

  constructor(
    node: HTMLElement,
    private readonly on: {
      hover?: (index: number | null) => void;
      pick?: (index: number) => void;
    } = {},
  ) {
    super(node);
  }

  show(xs: readonly number[], lines: readonly ChartLine[], look: ChartLook): void {
    this.lines = lines;
    const known = lines.map(({ label, color }) => [label, color]);
    const key = JSON.stringify([known, look, xs.length > DOTTED]);
    this.draw(key, xs, lines, () => this.options(lines, look, xs.length));
  }

  private options(lines: readonly ChartLine[], look: ChartLook, count: number): uPlot.Options {
    const [axis, mark] = [this.axis(), this.css("--accent")];
    const number = (x: number): string => tickText(x, 4);
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
            if (look.bands) this.drawBands(chart, this.css("--danger"));
          },
        ],
        draw: [(chart) => this.drawMark(chart, mark, 1.5)],
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
