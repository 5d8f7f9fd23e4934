// How near joints are to their limits: an arc or a bar from end to end, and where the joint stands.
import type { ChoiceHost, ModelHost } from "../../store/hosts.ts";
import { traitsOf } from "../../kernel/tables/joint-types.ts";
import {
  BoxGeometry,
  BufferGeometry,
  CircleGeometry,
  Color,
  Group,
  type Mesh,
  type MeshBasicMaterial,
  RingGeometry,
} from "three";
import { jointFrame } from "../marks/joints.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import type { Label } from "../labels/labels.ts";
import { valueText } from "../units.ts";
import { mark, plain } from "./marks.ts";

/** Share of the range at each end that counts as near a limit. */
const NEAR = 0.12;

interface Dial {
  group: Group;
  joint: number;
  /** Index in v and in q. */
  v: number;
  q: number;
  slides: boolean;
  lower: number;
  upper: number;
  needle: Mesh;
  paint: MeshBasicMaterial;
  /** What is left to the nearer end, while that is little. */
  label: Label;
}

export class LimitDials implements Part {
  private dials: Dial[] = [];
  private readonly track: MeshBasicMaterial;
  private readonly color = new Color();

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost,
      "root" | "labels" | "palette" | "extent"
    >,
  ) {
    this.track = plain(context.palette.faint, 0.7);
  }

  paint(palette: Palette): void {
    this.track.color.set(palette.faint);
  }

  rebuild(): void {
    this.clear();
    const { model } = this.context.studio;
    if (!model) return;
    const { lower, upper } = model;
    model.data.joints.forEach((joint, i) => {
      if (!traitsOf(joint.type).isHinge && !traitsOf(joint.type).isSlide) return;
      const ends = [lower[joint.v], upper[joint.v]];
      if (!Number.isFinite(ends[0]) || !Number.isFinite(ends[1])) return;
      this.dials.push(
        this.dial(i, joint.v, joint.q, traitsOf(joint.type).isSlide, ends[0], ends[1]),
      );
    });
  }

  frame(): void {
    const { studio, palette } = this.context;
    const { model, q, poses } = studio;
    if (!model) return;
    for (const dial of this.dials) {
      const range = dial.upper - dial.lower;
      const value = Math.min(dial.upper, Math.max(dial.lower, q[dial.q]));
      const margin = Math.min(value - dial.lower, dial.upper - value) / range;
      const alarm = 1 - Math.min(1, margin / NEAR);
      dial.label.visible = alarm > 0;
      this.color.set(palette.danger);
      dial.paint.color.set(palette.accent).lerp(this.color, alarm);
      const X = jointFrame(model, poses, dial.joint);
      X.decompose(dial.group.position, dial.group.quaternion, dial.group.scale);
      dial.group.scale.setScalar(this.size);
      if (alarm > 0) {
        const left = valueText(margin * range, dial.slides ? "m" : "rad", studio.settings);
        dial.label.text = `${model.data.joints[dial.joint].name}: ${left} to its limit`;
        dial.label.at = dial.group.position.toArray();
      }
      if (dial.slides) dial.needle.position.z = value / this.size;
      else dial.needle.rotation.z = value;
    }
  }

  dispose(): void {
    this.clear();
    this.track.dispose();
  }

  private get size(): number {
    return 0.15 * this.context.extent;
  }

  private dial(
    joint: number,
    v: number,
    q: number,
    slides: boolean,
    lower: number,
    upper: number,
  ): Dial {
    const group = new Group();
    const paint = plain(this.context.palette.accent);
    let way: BufferGeometry;
    let needle: Mesh;
    if (slides) {
      const [a, b] = [lower / this.size, upper / this.size];
      way = new BoxGeometry(0.03, 0.03, b - a).translate(0.45, 0, (a + b) / 2);
      needle = mark(new BoxGeometry(0.13, 0.13, 0.13).translate(0.45, 0, 0), paint, 5);
    } else {
      const turn = Math.min(2 * Math.PI, upper - lower);
      way = new RingGeometry(0.92, 1, 64, 1, lower, turn);
      needle = mark(new CircleGeometry(0.12, 24).translate(0.965, 0, 0), paint, 5);
    }
    const track = mark(way, this.track, 4);
    for (const part of [this.track, paint]) part.side = 2;
    group.add(track, needle);
    this.context.root.add(group);
    const label = this.context.labels.add("badge");
    return { group, joint, v, q, slides, lower, upper, needle, paint, label };
  }

  private clear(): void {
    for (const { group, paint, label } of this.dials) {
      label.remove();
      for (const part of group.children) (part as Mesh).geometry.dispose();
      group.removeFromParent();
      paint.dispose();
    }
    this.dials = [];
  }
}
