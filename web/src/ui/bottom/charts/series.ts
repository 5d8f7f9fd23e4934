// Curves of joints over time: values, speeds, accelerations.
import type { ModelData, MotionData } from "../../../wire/messages.ts";

export type Kind = "values" | "speeds" | "accelerations";

export interface Curve {
  label: string;
  /** Of the values: 'angle' in degrees, 'length' in millimetres or metres. */
  quantity: "angle" | "length" | "number";
  motor: boolean;
  values: number[];
}

/** One curve per joint variable of a motion; joints on quaternions have none. */
export function curvesOf(data: ModelData, motion: MotionData): Curve[] {
  const curves: Curve[] = [];
  let at = 0;
  for (const name of motion.joints) {
    const joint = data.joints.find((one) => one.name === name);
    if (!joint) return [];
    if (joint.nq === joint.nv)
      joint.variables.forEach((variable, k) => {
        const column = at + k;
        curves.push({
          label: joint.variables.length > 1 ? `${name} ${variable.name}` : name,
          quantity: variable.quantity,
          motor: variable.motor,
          values: motion.values.map((row) => row[column]),
        });
      });
    at += joint.nq;
  }
  return curves;
}

/** Derivative by the parabola through each point and its neighbours; ends by the nearest pair. */
export function derivative(times: readonly number[], values: readonly number[]): number[] {
  const last = values.length - 1;
  if (last < 1) return values.map(() => 0);
  const rate = (i: number): number => {
    const span = times[i + 1] - times[i];
    return span > 0 ? (values[i + 1] - values[i]) / span : 0;
  };
  return values.map((_, i) => {
    if (i === 0) return rate(0);
    if (i === last) return rate(last - 1);
    const before = times[i] - times[i - 1];
    const after = times[i + 1] - times[i];
    const sum = before + after;
    return sum > 0 ? (after * rate(i - 1) + before * rate(i)) / sum : 0;
  });
}

export function sampled(times: readonly number[], curve: Curve, kind: Kind): number[] {
  if (kind === "values") return curve.values;
  const speeds = derivative(times, curve.values);
  return kind === "speeds" ? speeds : derivative(times, speeds);
}

/** A table with a heading per column, for spreadsheets. */
export function toCsv(heads: readonly string[], columns: readonly (readonly number[])[]): string {
  const rows = columns[0]?.map((_, i) => columns.map((column) => column[i]).join(",")) ?? [];
  const quoted = heads.map((head) =>
    /[",]/.test(head) ? `"${head.replaceAll('"', '""')}"` : head,
  );
  return `${[quoted.join(","), ...rows].join("\n")}\n`;
}

interface DrawnCurve {
  label: string;
  color: string;
  unit: string;
  values: readonly number[];
}

/** Width and height of one chart, and the room around it: left, right, top, bottom. */
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [860, 300, 64, 20, 24, 44];

/** Charts below each other as a drawing of their own, axes and names included. */
export function toSvg(times: readonly number[], charts: readonly DrawnCurve[][]): string {
  const drawn = charts.map(
    (curves, i) => `<g transform="translate(0 ${i * HEIGHT})">${svgChart(times, curves)}</g>`,
  );
  const height = HEIGHT * charts.length;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">` +
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>${drawn.join("")}</svg>\n`
  );
}

function svgChart(times: readonly number[], curves: readonly DrawnCurve[]): string {
  const all = curves.flatMap((curve) => [...curve.values]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const [t0, t1] = [times[0] ?? 0, times.at(-1) ?? 1];
  const x = (t: number): number => LEFT + ((t - t0) / (t1 - t0 || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (v: number): number =>
    HEIGHT - BOTTOM - ((v - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const escape = (text: string): string => text.replace(/[<>&]/g, (c) => `&#${c.charCodeAt(0)};`);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((s) => {
    const v = low + s * (high - low);
    const t = t0 + s * (t1 - t0);
    return (
      `<path d="M${LEFT} ${y(v).toFixed(1)}H${WIDTH - RIGHT}" stroke="#ddd"/>` +
      `<text x="${LEFT - 8}" y="${(y(v) + 4).toFixed(1)}" text-anchor="end">${v.toPrecision(3)}</text>` +
      `<text x="${x(t).toFixed(1)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${t.toFixed(2)}</text>`
    );
  });
  const lines = curves.map((curve, i) => {
    const points = curve.values.map((v, k) => `${x(times[k]).toFixed(1)},${y(v).toFixed(1)}`);
    return (
      `<polyline fill="none" stroke="${curve.color}" stroke-width="1.6" points="${points.join(" ")}"/>` +
      `<text x="${LEFT + 8 + 110 * i}" y="${HEIGHT - 8}" fill="${curve.color}">${escape(curve.label)}</text>`
    );
  });
  const unit = `<text x="${LEFT - 8}" y="13" text-anchor="end">${escape(curves[0]?.unit ?? "")}</text>`;
  return grid.join("") + lines.join("") + unit;
}
