// What charts by uPlot share: they follow their container's size and the page's colours.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/** A number beside an axis, with a true minus sign. */
export const tickText = (x: number, digits: number): string =>
  `${Number(x.toPrecision(digits))}`.replace("-", "−");

export abstract class UplotChart {
  private chart: uPlot | null = null;
  private key = "";
  private marked: number | null = null;
  private readonly observer: ResizeObserver;

  constructor(protected readonly node: HTMLElement) {
    this.observer = new ResizeObserver(() => this.chart?.setSize(this.size()));
    this.observer.observe(node);
  }

  /** Draws a line at a value of x; null for none. */
  mark(x: number | null): void {
    if (x === this.marked) return;
    this.marked = x;
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

  /** Shows curves over x; values that are no numbers are gaps. Another key needs another chart. */
  protected draw(
    key: string,
    xs: readonly number[],
    curves: readonly { values: readonly (number | null)[] }[],
    options: () => uPlot.Options,
  ): void {
    const gapped = curves.map(({ values }) => values.map((x) => (Number.isFinite(x) ? x : null)));
    const data = [[...xs], ...gapped] as uPlot.AlignedData;
    if (this.chart && key === this.key) {
      this.chart.setData(data);
      return;
    }
    this.key = key;
    this.chart?.destroy();
    this.chart = new uPlot(options(), data, this.node);
  }

  /** A colour or font of the page. */
  protected css(name: string): string {
    return getComputedStyle(this.node).getPropertyValue(name);
  }

  /** The looks of an axis. */
  protected axis(): uPlot.Axis {
    return {
      stroke: this.css("--text-faint"),
      font: `11px ${this.css("--font")}`,
      grid: { stroke: this.css("--line"), width: 1 },
      ticks: { show: false },
    };
  }

  protected size(): { width: number; height: number } {
    return {
      width: Math.max(80, this.node.clientWidth),
      height: Math.max(60, this.node.clientHeight),
    };
  }

  protected drawMark(chart: uPlot, color: string, width: number): void {
    if (this.marked === null) return;
    const x = chart.valToPos(this.marked, "x", true);
    const { ctx, bbox } = chart;
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = color;
    ctx.lineWidth = width * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
}
