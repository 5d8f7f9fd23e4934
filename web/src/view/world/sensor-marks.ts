// Sensors of a world where they are: axes, arrows of what they feel, lamps, what cameras see.
import {
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Vector3,
} from "three";
import type { ModelHost, SimulationHost } from "../../store/hosts.ts";
import { signalValues } from "../../store/simulation/signals.ts";
import type { CameraData, SensorData } from "../../wire/messages.ts";
import { Arrow, arrowLength } from "../forces/arrow.ts";
import type { Label } from "../labels/labels.ts";
import { BALL, mark, plain } from "../overlays/marks.ts";
import type { Part, Pieces, ViewContext } from "../part.ts";
import { poseMatrix } from "../spaces.ts";
import { Triad } from "../marks/triad.ts";
import { forceText, torqueText } from "../units.ts";

const LIT = { bumper: "#ff3b30", touch: "#ffb000", contact: "#ffb000" } as const;
const DARK = "#5a6270";
const FORCE = "#e0447c";
const TORQUE = "#7a5af0";
const FELT = "#d0692a";

/** Lines of what a camera sees, up to a distance along its x axis [m]. */
export function frustum({ width, height, opening }: CameraData, depth: number): number[] {
  const up = depth * Math.tan(opening / 2);
  const across = (up * width) / height;
  const corners = [
    [across, up],
    [-across, up],
    [-across, -up],
    [across, -up],
  ].map(([y, z]) => [depth, y, z]);
  const rays = corners.flatMap((corner, i) => [
    0,
    0,
    0,
    ...corner,
    ...corner,
    ...corners[(i + 1) % 4],
  ]);
  // a roof shows which side is up
  const roof = [depth, 0, 1.35 * up];
  return [...rays, depth, 0.4 * across, up, ...roof, ...roof, depth, -0.4 * across, up];
}

/** One sensor in the view. */
class Mark {
  readonly group = new Group();
  private readonly triad = new Triad();
  private readonly lamp = mark(BALL, plain(DARK, 0.95), 8);
  private readonly arrows: [Arrow, Arrow];
  private readonly materials = [plain(FORCE, 0.95), plain(TORQUE, 0.95)];
  private readonly labels: [Label, Label];
  private lines: LineSegments | null = null;
  private most = [0, 0];

  constructor(
    readonly sensor: SensorData,
    private readonly context: Pick<Pieces, "root" | "labels" | "palette" | "extent">,
  ) {
    const { root, labels, palette } = context;
    this.group.matrixAutoUpdate = false;
    this.group.add(this.triad, this.lamp);
    this.triad.paint(palette);
    if (sensor.type === "imu") this.materials[0].color.set(FELT);
    this.arrows = [new Arrow(root, this.materials[0], 8), new Arrow(root, this.materials[1], 8)];
    this.labels = [labels.add("name"), labels.add("name")];
    root.add(this.group);
    if (sensor.camera) this.see(sensor.camera);
  }

  show(X_WS: Matrix4, values: ReadonlyMap<string, Float64Array> | null): void {
    const { extent } = this.context;
    const { type, signals } = this.sensor;
    const [first, second] = signals.map((name) => values?.get(name) ?? null);
    this.group.visible = true;
    this.group.matrix.copy(X_WS);
    this.group.matrixWorldNeedsUpdate = true;
    this.triad.visible = type === "imu" || type === "pose" || type === "force";
    this.triad.scale.setScalar(0.1 * extent);
    this.lamp.visible = type in LIT;
    this.lamp.scale.setScalar(0.025 * extent);
    if (this.lines) this.lines.scale.setScalar(0.35 * extent);
    const sensed = first?.[0] ?? 0;
    const isLit = this.lamp.visible && sensed > 0;
    const paint = this.lamp.material as ReturnType<typeof plain>;
    paint.color.set(isLit ? LIT[type as keyof typeof LIT] : DARK);
    const origin = new Vector3().setFromMatrixPosition(X_WS);
    for (const i of [0, 1]) this.hideArrow(i);
    if (type === "force") {
      this.arrow(0, first, X_WS, origin, forceText);
      this.arrow(1, second, X_WS, origin, torqueText);
    } else if (type === "imu") this.arrow(0, first, X_WS, origin, accelerationText);
    else if (isLit && type === "touch") this.say(0, origin, forceText(sensed));
    else if (isLit && type === "bumper") this.say(0, origin, `${this.sensor.name} pressed`);
  }

  hide(): void {
    this.group.visible = false;
    for (const i of [0, 1]) this.hideArrow(i);
  }

  dispose(): void {
    this.group.removeFromParent();
    this.triad.release();
    (this.lamp.material as ReturnType<typeof plain>).dispose();
    for (const arrow of this.arrows) arrow.remove();
    for (const material of this.materials) material.dispose();
    for (const label of this.labels) label.remove();
    this.lines?.geometry.dispose();
    (this.lines?.material as LineBasicMaterial | undefined)?.dispose();
  }

  private see(camera: CameraData): void {
    const lines = new BufferGeometry();
    lines.setAttribute("position", new Float32BufferAttribute(frustum(camera, 1), 3));
    this.lines = new LineSegments(
      lines,
      new LineBasicMaterial({ color: "#2f7fd6", transparent: true, toneMapped: false }),
    );
    this.lines.raycast = () => undefined;
    this.lines.renderOrder = 5;
    this.group.add(this.lines);
  }

  /** A vector in the sensor's axes, as long as its share of the longest lately. */
  private arrow(
    i: 0 | 1,
    numbers: Float64Array | null,
    X_WS: Matrix4,
    from: Vector3,
    text: (size: number) => string,
  ): void {
    const { extent } = this.context;
    const vector = new Vector3(...(numbers ?? [])).transformDirection(X_WS);
    const size = Math.hypot(...(numbers ?? []));
    this.most[i] = Math.max(0.985 * this.most[i], Number.isFinite(size) ? size : 0);
    if (!(size > 1e-9) || !(this.most[i] > 0)) {
      this.hideArrow(i);
      return;
    }
    const length = arrowLength(size / this.most[i]) * extent;
    this.arrows[i].show(from, vector, length, 0.008 * extent);
    this.say(i, from.clone().addScaledVector(vector, length), text(size));
  }

  private say(i: number, at: Vector3, text: string): void {
    const label = this.labels[i];
    label.visible = true;
    label.at = at.toArray();
    label.text = text;
  }

  private hideArrow(i: number): void {
    this.arrows[i].hide();
    this.labels[i].visible = false;
  }
}

const accelerationText = (size: number): string => `${size.toFixed(2)} m/s²`;

export class SensorMarks implements Part {
  private marks: Mark[] = [];
  private key = "";

  constructor(
    private readonly context: ViewContext<
      ModelHost & SimulationHost,
      "root" | "links" | "objects" | "labels" | "palette" | "extent"
    >,
  ) {}

  frame(): void {
    const { simulation } = this.context.studio;
    const sensors = simulation.sensors.all.filter(({ node }) => node !== "");
    const key = JSON.stringify(sensors);
    if (key !== this.key) {
      this.dispose();
      this.key = key;
      this.marks = sensors.map((sensor) => new Mark(sensor, this.context));
    }
    const { acting } = simulation;
    const values = acting && signalValues(simulation.signals.table, acting.signals);
    for (const one of this.marks) {
      const isShown = acting && simulation.sensors.isShown(one.sensor.name);
      const X_WS = isShown ? sensorPlace(this.context, one.sensor) : null;
      if (X_WS) one.show(X_WS, values);
      else one.hide();
    }
  }

  dispose(): void {
    for (const one of this.marks) one.dispose();
    this.marks = [];
    this.key = "";
  }
}

/** Where a sensor or light is, null where what it is mounted on is not drawn. */
export function sensorPlace(
  { links, objects, studio }: ViewContext<ModelHost, "links" | "objects">,
  { node, place }: Pick<SensorData, "node" | "place">,
): Matrix4 | null {
  const link = studio.model?.data.links.indexOf(node) ?? -1;
  const X_WN =
    link >= 0
      ? links.views[link]?.group.matrix
      : objects.group.children.find((body) => body.name === node)?.matrix;
  return X_WN ? poseMatrix(place, 0, new Matrix4()).premultiply(X_WN) : null;
}
