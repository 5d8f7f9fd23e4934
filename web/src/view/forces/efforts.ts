// What motors give: arcs around axes that turn, arrows along those that slide; red at their limit.
import {
  BufferGeometry,
  ConeGeometry,
  Group,
  type Material,
  Matrix4,
  type Mesh,
  TorusGeometry,
  Vector3,
} from "three";
import { variableUnit } from "../../kernel/reasons.ts";
import type { ModelHost, SimulationHost } from "../../store/hosts.ts";
import { jointFrame, jointPlace } from "../marks/joints.ts";
import type { Label } from "../labels/labels.ts";
import { mark, plain } from "../overlays/marks.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { forceText, torqueText } from "../units.ts";
import { Arrow, arrowLength } from "./arrow.ts";

/** So many of the strongest say how strong they are. */
const LABELS = 6;
/** The arc of the strongest torque [rad]. */
const ARC = 1.6 * Math.PI;
const STEPS = 24;

interface Dial {
  joint: number;
  v: number;
  slides: boolean;
  group: Group;
  arc: Mesh | null;
  tip: Mesh | null;
  arrow: Arrow | null;
}

export class Efforts implements Part {
  private dials: Dial[] = [];
  private readonly usual;
  private readonly alarm;
  private readonly labels: Label[];
  private readonly limits: Label[];
  private readonly arcs: BufferGeometry[];
  private readonly cone = new ConeGeometry(0.13, 0.3, 18);
  private most = 0;

  constructor(
    private readonly context: ViewContext<
      ModelHost & SimulationHost,
      "root" | "labels" | "palette" | "extent"
    >,
  ) {
    this.usual = plain(context.palette.motor, 0.95);
    this.alarm = plain(context.palette.danger, 0.95);
    this.labels = Array.from({ length: LABELS }, () => context.labels.add("name"));
    this.limits = Array.from({ length: LABELS }, () => context.labels.add("alarm"));
    // arcs of all lengths, made once
    this.arcs = Array.from(
      { length: STEPS },
      (_, i) => new TorusGeometry(1, 0.055, 8, 40, (ARC * (i + 1)) / STEPS),
    );
  }

  paint(palette: Palette): void {
    this.usual.color.set(palette.dark ? palette.motor : "#c77700");
    this.alarm.color.set(palette.danger);
  }

  rebuild(): void {
    this.clear();
    const { model } = this.context.studio;
    model?.data.joints.forEach((joint, i) => {
      joint.variables.forEach((variable, k) => {
        if (!variable.motor) return;
        const slides = variableUnit(joint.type, k) === "m";
        const group = new Group();
        const arc = slides ? null : mark(this.arcs[0], this.usual, 7);
        const tip = slides ? null : mark(this.cone, this.usual, 7);
        if (arc && tip) group.add(arc, tip);
        this.context.root.add(group);
        const arrow = slides ? new Arrow(this.context.root, this.usual, 7) : null;
        this.dials.push({ joint: i, v: joint.v + k, slides, group, arc, tip, arrow });
      });
    });
  }

  frame(): void {
    const { studio, extent } = this.context;
    const { model, simulation, poses } = studio;
    // of a pose that was left by hand, and after a run, nothing is known
    const frame = simulation.isElsewhere ? null : simulation.acting;
    const found: { at: Vector3; text: string; share: number; isFull: boolean }[] = [];
    const scaled = (dial: Dial): number =>
      Math.abs(frame?.efforts[dial.v] ?? 0) * (dial.slides ? (model?.size ?? 1) : 1);
    const now = Math.max(0, ...this.dials.map(scaled));
    // the scale falls slowly, so that arrows do not pump
    this.most = Math.max(now, 0.985 * this.most);
    for (const dial of this.dials) {
      const effort = frame?.efforts[dial.v] ?? 0;
      const share = this.most > 0 ? scaled(dial) / this.most : 0;
      const isShown = model !== null && frame !== null && share > 0.01;
      dial.group.visible = isShown;
      if (!isShown) dial.arrow?.hide();
      if (!isShown || !model) continue;
      const isFull = frame.saturated[dial.v] > 0;
      const material: Material = isFull ? this.alarm : this.usual;
      const X = jointFrame(model, poses, dial.joint);
      const place = jointPlace(model, poses, dial.joint);
      if (dial.arrow) {
        const axis = new Vector3().setFromMatrixColumn(X, 2).multiplyScalar(Math.sign(effort));
        dial.arrow.material = material;
        dial.arrow.show(place, axis, arrowLength(share) * extent, 0.012 * extent);
      } else this.turn(dial, X, place, share, Math.sign(effort), material);
      const name = model.data.joints[dial.joint].name;
      const text = dial.slides ? forceText(effort) : torqueText(effort);
      found.push({ at: place, text: `${name} ${text}`, share, isFull });
    }
    found.sort((a, b) => Number(b.isFull) - Number(a.isFull) || b.share - a.share);
    this.labels.forEach((label, i) => {
      const one = found[i];
      const limit = this.limits[i];
      label.visible = one !== undefined && !one.isFull;
      limit.visible = one !== undefined && one.isFull;
      if (!one) return;
      label.text = one.text;
      limit.text = `${one.text}: at its limit`;
      label.at = limit.at = one.at.toArray();
    });
  }

  dispose(): void {
    this.clear();
    for (const arc of this.arcs) arc.dispose();
    this.cone.dispose();
    this.usual.dispose();
    this.alarm.dispose();
    for (const label of [...this.labels, ...this.limits]) label.remove();
  }

  private turn(
    dial: Dial,
    X: Matrix4,
    place: Vector3,
    share: number,
    sign: number,
    material: Material,
  ): void {
    const { arc, tip, group } = dial;
    if (!arc || !tip) return;
    X.decompose(group.position, group.quaternion, group.scale);
    group.position.copy(place);
    const size = 0.1 * this.context.extent;
    // against the axis: the same arc seen from below
    group.scale.set(size, sign * size, size);
    const i = Math.min(STEPS - 1, Math.max(2, Math.round(share * STEPS) - 1));
    arc.geometry = this.arcs[i];
    arc.material = tip.material = material;
    const end = (ARC * (i + 1)) / STEPS;
    tip.position.set(Math.cos(end), Math.sin(end), 0);
    tip.rotation.set(0, 0, end);
  }

  private clear(): void {
    for (const { group, arrow } of this.dials) {
      group.removeFromParent();
      arrow?.remove();
    }
    this.dials = [];
    this.most = 0;
  }
}
