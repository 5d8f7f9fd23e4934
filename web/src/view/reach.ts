// What a drag lacks, said at the place: the band to the target, how far it is, limits in red, pins.
import {
  BufferAttribute,
  BufferGeometry,
  Line,
  LineDashedMaterial,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
  TorusGeometry,
} from "three";
import { applyPose, poseAt } from "../kernel/spatial.ts";
import type { ChoiceHost, DragHost, ModelHost } from "../store/hosts.ts";
import { jointFrame } from "./marks/joints.ts";
import type { Label } from "./labels/labels.ts";
import type { Palette } from "./links/palette.ts";
import type { Part, ViewContext } from "./part.ts";
import { lengthText, valueText } from "./units.ts";

interface Lamp {
  ring: Mesh;
  label: Label;
}

export class Reach implements Part {
  private readonly danger = new MeshBasicMaterial({
    toneMapped: false,
    depthTest: false,
    transparent: true,
  });
  private readonly accent = new MeshBasicMaterial({
    toneMapped: false,
    depthTest: false,
    transparent: true,
  });
  private readonly dash = new LineDashedMaterial({ depthTest: false, transparent: true });
  private readonly ball = new SphereGeometry(1, 20, 14);
  private readonly ring = new TorusGeometry(1, 0.09, 10, 40);
  private readonly bands: { line: Line; hand: Mesh; goal: Mesh }[] = [];
  private readonly lamps: Lamp[] = [];
  private readonly pins: Mesh[] = [];
  private readonly words: Label;

  constructor(
    private readonly context: ViewContext<
      ModelHost & DragHost & ChoiceHost,
      "root" | "labels" | "camera" | "extent"
    >,
  ) {
    this.words = context.labels.add("alarm");
    // Made before they are needed, so that the first grab does not wait for their shaders.
    this.bands.push(this.band());
    this.lamps.push(this.lamp());
  }

  paint(palette: Palette): void {
    this.danger.color.set(palette.danger);
    this.accent.color.set(palette.accent);
    this.dash.color.set(palette.danger);
  }

  frame(): void {
    const { studio, extent } = this.context;
    const unit = 0.012 * extent;
    const grabs = studio.grabs;
    grabs.forEach((grab, i) => {
      const band = (this.bands[i] ??= this.band());
      const { site, point, position } = grab.spec;
      if (studio.poses.length < 7 * (site + 1)) return;
      const at = applyPose(poseAt(studio.poses, site), point ?? [0, 0, 0]);
      const to = position ?? at;
      const far = Math.hypot(to[0] - at[0], to[1] - at[1], to[2] - at[2]);
      const isFar = far > 0.004 * extent && studio.status?.outcome !== "reached";
      band.hand.visible = true;
      band.hand.position.set(...at);
      band.hand.scale.setScalar(unit);
      band.line.visible = band.goal.visible = isFar;
      band.goal.position.set(to[0], to[1], to[2]);
      band.goal.scale.setScalar(0.8 * unit);
      if (!isFar) return;
      const place = band.line.geometry.getAttribute("position") as BufferAttribute;
      place.setXYZ(0, at[0], at[1], at[2]);
      place.setXYZ(1, to[0], to[1], to[2]);
      place.needsUpdate = true;
      band.line.computeLineDistances();
      this.dash.dashSize = 1.6 * unit;
      this.dash.gapSize = unit;
    });
    for (const band of this.bands.slice(grabs.length))
      band.line.visible = band.hand.visible = band.goal.visible = false;
    this.say();
    this.light();
    this.pin(unit);
  }

  dispose(): void {
    for (const { line, hand, goal } of this.bands) {
      line.geometry.dispose();
      for (const part of [line, hand, goal]) part.removeFromParent();
    }
    for (const { ring, label } of this.lamps) {
      ring.removeFromParent();
      label.remove();
    }
    for (const pin of this.pins) pin.removeFromParent();
    this.words.remove();
    for (const part of [this.danger, this.accent, this.dash, this.ball, this.ring]) part.dispose();
  }

  /** How far the target is out of reach, at the target. */
  private say(): void {
    const { studio, extent } = this.context;
    const { status } = studio;
    const isFar =
      status?.target != null &&
      status.outcome !== "reached" &&
      status.outcome !== "moving" &&
      status.distance > 0.004 * extent &&
      studio.grabs.length > 0;
    this.words.visible = isFar;
    if (!isFar || !status?.target) return;
    this.words.at = status.target;
    this.words.text =
      status.outcome === "stuck"
        ? "cannot move further from here"
        : `${lengthText(status.distance, studio.settings.lengthUnit)} out of reach`;
  }

  /** A red ring on every joint that stands at its limit. */
  private light(): void {
    const { studio, extent } = this.context;
    const { model, status } = studio;
    const limits = model && status ? status.limits : [];
    limits.forEach((limit, i) => {
      const lamp = (this.lamps[i] ??= this.lamp());
      const joint = model!.data.joints.findIndex((one) => one.name === limit.joint);
      lamp.ring.visible = lamp.label.visible = joint >= 0;
      if (joint < 0) return;
      const X = jointFrame(model!, studio.poses, joint);
      X.decompose(lamp.ring.position, lamp.ring.quaternion, lamp.ring.scale);
      lamp.ring.scale.setScalar(0.055 * extent);
      lamp.label.at = lamp.ring.position.toArray();
      const value = valueText(limit.value, limit.unit, studio.settings);
      lamp.label.text = `${limit.joint} at its ${limit.side} limit, ${value}`;
    });
    for (const lamp of this.lamps.slice(limits.length))
      lamp.ring.visible = lamp.label.visible = false;
  }

  /** A ring around every pinned point. */
  private pin(unit: number): void {
    const { pins } = this.context.studio;
    pins.forEach((spec, i) => {
      const mark = (this.pins[i] ??= this.mark(this.ring, this.accent));
      mark.visible = true;
      if (spec.position) mark.position.set(spec.position[0], spec.position[1], spec.position[2]);
      mark.quaternion.copy(this.context.camera.camera.quaternion);
      mark.quaternion.premultiply(this.context.root.quaternion.clone().invert());
      mark.scale.setScalar(2.2 * unit);
    });
    for (const mark of this.pins.slice(pins.length)) mark.visible = false;
  }

  private band() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(6), 3));
    const line = new Line(geometry, this.dash);
    line.frustumCulled = false;
    line.renderOrder = 6;
    line.raycast = () => undefined;
    this.context.root.add(line);
    return {
      line,
      hand: this.mark(this.ball, this.accent),
      goal: this.mark(this.ball, this.danger),
    };
  }

  private lamp(): Lamp {
    return { ring: this.mark(this.ring, this.danger), label: this.context.labels.add("alarm") };
  }

  private mark(geometry: TorusGeometry | SphereGeometry, material: MeshBasicMaterial): Mesh {
    const mesh = new Mesh(geometry, material);
    mesh.renderOrder = 7;
    mesh.raycast = () => undefined;
    this.context.root.add(mesh);
    return mesh;
  }
}
