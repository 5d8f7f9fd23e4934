// Rays of a world's sensors: a line to what was hit, coloured by distance; overridden ones say so.
import { Color } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { ModelHost, SimulationHost } from "../../store/hosts.ts";
import type { SensorData } from "../../wire/messages.ts";
import { Dots } from "../marks/dots.ts";
import { jointPlace } from "../marks/joints.ts";
import type { Label } from "../labels/labels.ts";
import type { Part, ViewContext } from "../part.ts";
import type { Point } from "../spaces.ts";

/** Numbers of a ray in a frame: start, end, share of the range, whether it is overridden, whose. */
const RAY = 9;
/** From so many on, rays are fine lines: they would cover what they show. */
const MANY = 40;
/** Labels of overridden signals at most. */
const LABELS = 6;
const NEAR = new Color("#d3303a");
const HALF = new Color("#f0a830");
const FAR = new Color("#2e9e5b");
const FORCED = new Color("#b53fd6");

/** Red is near, green is far. */
export function rayColor(share: number, isForced: boolean): Color {
  if (isForced) return FORCED.clone();
  return share < 0.5 ? NEAR.clone().lerp(HALF, 2 * share) : HALF.clone().lerp(FAR, 2 * share - 1);
}

/** Where the rays of each overridden sensor begin, by signal. */
export function forcedStarts(
  sensors: readonly Pick<SensorData, "signals">[],
  rays: ArrayLike<number>,
): Map<string, Point> {
  const found = new Map<string, Point>();
  for (let at = 0; at + RAY <= rays.length; at += RAY) {
    const signal = sensors[rays[at + 8]]?.signals[0];
    if (rays[at + 7] > 0 && signal !== undefined && !found.has(signal))
      found.set(signal, [rays[at], rays[at + 1], rays[at + 2]]);
  }
  return found;
}

export class SensorRays implements Part {
  private readonly material = new LineMaterial({ linewidth: 2.2, vertexColors: true });
  private readonly lines = new LineSegments2(new LineSegmentsGeometry(), this.material);
  private readonly hits: Dots;
  private readonly labels: Label[];
  private shown: Float64Array | null = null;
  private hidden: ReadonlySet<string> | null = null;

  constructor(
    private readonly context: ViewContext<ModelHost & SimulationHost, "root" | "labels">,
  ) {
    this.material.transparent = true;
    this.material.toneMapped = false;
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 5;
    this.lines.raycast = () => undefined;
    this.lines.visible = false;
    context.root.add(this.lines);
    this.hits = new Dots(context.root, 1, 6);
    this.hits.color = "#ffffff";
    this.hits.size = 7;
    this.labels = Array.from({ length: LABELS }, () => context.labels.add("alarm"));
    for (const label of this.labels) label.visible = false;
  }

  frame(): void {
    const { simulation } = this.context.studio;
    const rays = simulation.acting?.rays ?? null;
    this.mark(rays ?? new Float64Array());
    const { all, hidden } = simulation.sensors;
    if (rays === this.shown && hidden === this.hidden) return;
    this.shown = rays;
    this.hidden = hidden;
    this.lines.visible = rays !== null && rays.length > 0;
    if (!rays || !this.lines.visible) {
      this.hits.set(new Float32Array(), null);
      return;
    }
    const [places, colors, ends, spots]: number[][] = [[], [], [], []];
    const isFine = rays.length > RAY * MANY;
    this.material.linewidth = isFine ? 1 : 2.2;
    this.material.opacity = isFine ? 0.35 : 1;
    this.hits.size = isFine ? 4 : 7;
    for (let at = 0; at < rays.length; at += RAY) {
      if (hidden.has(all[rays[at + 8]]?.name ?? "")) continue;
      const color = rayColor(rays[at + 6], rays[at + 7] > 0).toArray();
      const isHit = rays[at + 6] < 1;
      // a scan of hundreds that met nothing would hide what it met
      if (isHit || !isFine) {
        places.push(...rays.subarray(at, at + 6));
        colors.push(...color, ...color);
      }
      if (isHit) {
        ends.push(...rays.subarray(at + 3, at + 6));
        spots.push(...color);
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new LineSegmentsGeometry();
    this.lines.visible = places.length > 0;
    if (places.length) this.lines.geometry.setPositions(places);
    if (places.length) this.lines.geometry.setColors(colors);
    this.hits.set(Float32Array.from(ends), Float32Array.from(spots));
  }

  dispose(): void {
    this.lines.removeFromParent();
    this.lines.geometry.dispose();
    this.material.dispose();
    this.hits.dispose();
    for (const label of this.labels) label.remove();
  }

  /** Says at sensors and joints which of their signals are overridden. */
  private mark(rays: Float64Array): void {
    const { model, poses, simulation } = this.context.studio;
    const overridden = simulation.isOn ? simulation.signals.overridden : [];
    const starts = forcedStarts(simulation.sensors.all, rays);
    const texts = overridden.flatMap(({ name, writer, override }) => {
      const joint = model?.data.joints.findIndex((one) => one.name === writer) ?? -1;
      const at =
        starts.get(name) ??
        (model && joint >= 0 ? jointPlace(model, poses, joint).toArray() : null);
      return at ? [{ at, text: `${name} ${override}` }] : [];
    });
    this.labels.forEach((label, i) => {
      label.visible = i < texts.length;
      if (i < texts.length) Object.assign(label, texts[i]);
    });
  }
}
