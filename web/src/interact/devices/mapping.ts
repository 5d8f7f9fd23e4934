// From a device's reading to motion, as the file's `devices` say: frames, joints or parameters.
import {
  along,
  type Four,
  fromRotationVector,
  minus,
  multiply,
  placeOf,
  poseAt,
  quatOf,
  rotate,
  scaled,
  type Three,
} from "../../kernel/spatial.ts";
import { isDrivable } from "../../store/pose/driving.ts";
import type { DeviceHost } from "../../store/hosts.ts";
import type { Grab } from "../../store/types.ts";
import type { DeviceData } from "../../wire/messages.ts";
import { follow, type SixPose } from "./absolute.ts";
import type { Device, Reading } from "./device.ts";

/** Full deflection moves a frame by so many sizes of the mechanism per second. */
const SPEED = 0.4;
/** Full deflection turns a frame or joint this fast [rad/s]. */
const TURN_SPEED = 1.2;
/** Arms with few joints cannot keep the rotation: the place counts more. */
const ROTATION_WEIGHT = 0.1;
/** A target may be this far ahead of its frame [sizes of the mechanism]. */
const LAG = 0.05;
/** A held frame is let go after this long without a reading [s]. */
const LINGER = 0.25;
/** Gauges below this are felt, the more the nearer. */
const FELT = 0.1;

/** What a device moves when the file does not say: the selected thing. */
export const SELECTED = "";

/** A device bound to what it moves; call `apply` once per frame. */
export class Mapping {
  private grab: Grab | null = null;
  private grabbed = -1;
  private position: Three = [0, 0, 0];
  private quat: Four = [1, 0, 0, 0];
  /** Where an absolute device and what it moves were when it took it. */
  private from: { device: SixPose; part: SixPose } | null = null;
  private idle = 0;
  /** Whether a joint, or a parameter, was moved since it was let go. */
  private hasMoved = false;
  private hasChanged = false;

  constructor(
    private readonly studio: DeviceHost,
    readonly device: Device,
    readonly data: DeviceData | null = null,
    /** The view's right, away and up in the world: pushing away then moves away on screen. */
    private readonly facing: () => Four = () => [1, 0, 0, 0],
  ) {}

  /** Whether it holds or has changed something that it has yet to let go. */
  get isUsed(): boolean {
    return this.grab !== null || this.hasMoved || this.hasChanged;
  }

  /** As the file calls it. */
  get name(): string {
    return this.data?.name ?? this.device.name;
  }

  /** What it moves, in words for the user. */
  get moves(): string {
    return this.data?.moves.length ? this.data.moves.join(", ") : "the selected part";
  }

  /** Carries out what the device says; dt: [s] since the last call. True when something moved. */
  apply(dt: number): boolean {
    const { studio } = this;
    const reading = studio.model === null || studio.readOnly ? null : this.device.read();
    if (reading === null) {
      this.idle += dt;
      if (this.idle > LINGER) this.letGo();
      return false;
    }
    this.idle = 0;
    const moves = this.data?.moves.length ? this.data.moves : [SELECTED];
    moves.forEach((name, i) => this.move(name, i, moves.length, reading, dt));
    this.feel();
    return true;
  }

  /** Ends what it moves: one step of undo. */
  letGo(): void {
    if (this.grab?.active) this.grab.release("keep");
    else if (this.hasMoved) this.studio.commitPose(`Move with ${this.name}`);
    if (this.hasChanged)
      this.studio
        .commitNumbers(`Change with ${this.name}`)
        .catch((error: Error) => this.studio.notice("warning", error.message));
    this.grab = null;
    this.grabbed = -1;
    this.hasMoved = this.hasChanged = false;
  }

  private move(name: string, order: number, count: number, reading: Reading, dt: number): void {
    const { studio } = this;
    const model = studio.model!;
    const { selection } = studio;
    const joint =
      name === SELECTED
        ? selection?.kind === "joint"
          ? selection.index
          : -1
        : model.data.joints.findIndex((one) => one.name === name);
    if (joint >= 0) {
      this.moveJoint(joint, this.axisOf(name, order, count, reading), dt);
      return;
    }
    const parameter = model.data.parameters.find((one) => one.name === name);
    if (parameter !== undefined) {
      const now = model.reals[parameter.index];
      const unit = parameter.quantity === "length" ? model.size : 1;
      const value =
        this.axisOf(name, order, count, reading) * this.scale(parameter.quantity !== "length");
      if (!Number.isFinite(value) || (!this.isAbsolute && value === 0)) return;
      studio.setParameter(name, this.isAbsolute ? value : now + value * unit * SPEED * dt);
      this.hasChanged = true;
      return;
    }
    const site = name === SELECTED ? this.selectedSite() : model.site(name);
    if (site >= 0) this.moveSite(site, reading, dt);
  }

  private moveJoint(index: number, axis: number, dt: number): void {
    const { studio } = this;
    const joint = studio.model!.data.joints[index];
    if (!isDrivable(joint, 0)) return;
    const isAngle = joint.variables[0]?.quantity !== "length";
    const value = axis * this.scale(isAngle);
    const rate = isAngle ? TURN_SPEED : SPEED * studio.model!.size;
    const target = this.isAbsolute ? value : studio.q[joint.q] + value * rate * dt;
    if (!Number.isFinite(axis) || (!this.isAbsolute && axis === 0)) return;
    studio.setVariable(index, 0, target, "device");
    this.hasMoved = true;
  }

  private moveSite(site: number, reading: Reading, dt: number): void {
    const { studio } = this;
    if (this.grab === null || !this.grab.active || this.grabbed !== site) {
      this.letGo();
      const pose = poseAt(studio.poses, site);
      this.position = placeOf(pose);
      this.quat = quatOf(pose);
      const part = { position: this.position, quat: this.quat };
      this.from = reading.pose && { device: reading.pose, part };
      this.grab = studio.grab(
        this.holdsPoint
          ? { site, kind: "point", point: [0, 0, 0] }
          : { site, kind: "pose", rotationWeight: ROTATION_WEIGHT },
      );
      this.grabbed = site;
    }
    if (reading.pose !== null && this.from) {
      const { device, part } = this.from;
      const target = follow({ from: device, now: reading.pose }, part, this.scale(false));
      this.position = target.position;
      this.quat = target.quat;
    } else {
      const turn = this.facing();
      const step = this.scale(false) * SPEED * studio.model!.size * dt;
      const angle = this.scale(true) * TURN_SPEED * dt;
      this.position = along(this.position, step, rotate(turn, this.mapped(reading, 0)));
      const w = scaled(angle, rotate(turn, this.mapped(reading, 3)));
      this.quat = multiply(fromRotationVector(w), this.quat);
    }
    const { position, quat } = this;
    this.grab.move(this.holdsPoint ? { position } : { position, quat });
    studio.tick();
    if (reading.pose === null && studio.status?.outcome === "nearest") this.stayNear(site);
  }

  /** A target that cannot be met must not run away: the rotation gives way first, then the place. */
  private stayNear(site: number): void {
    const pose = poseAt(this.studio.poses, site);
    this.quat = quatOf(pose);
    const behind = Math.hypot(...minus(this.position, placeOf(pose)));
    if (behind > LAG * this.studio.model!.size) this.position = placeOf(pose);
  }

  /** Three of the twist's numbers, reordered as `axes` say: {x: "-y"} moves by minus its y. */
  private mapped(reading: Reading, first: 0 | 3): Three {
    const names = this.device.axisNames;
    const twist = [...reading.translation, ...reading.rotation];
    return [0, 1, 2].map((k) => {
      const wanted = this.data?.axes[names[first + k] ?? ""];
      if (typeof wanted !== "string") return twist[first + k];
      const isNegative = wanted.startsWith("-");
      const at = names.indexOf(wanted.replace(/^[-+]/, ""));
      return at < 0 ? 0 : (isNegative ? -1 : 1) * twist[at];
    }) as Three;
  }

  /** The axis that moves a joint or parameter: as `axes` say, else the one of its place. */
  private axisOf(name: string, order: number, count: number, reading: Reading): number {
    const wanted = this.data?.axes[name];
    const text =
      typeof wanted === "string" ? wanted : typeof wanted === "number" ? `${wanted}` : null;
    if (text !== null) {
      const key = text.replace(/^[-+]/, "");
      const at = this.device.axisNames.indexOf(key);
      const value = reading.axes[at >= 0 ? at : Number(key)] ?? 0;
      return text.startsWith("-") ? -value : value;
    }
    const own = this.device.axisNames.indexOf(name);
    if (own >= 0) return reading.axes[own] ?? 0;
    if (count > 1) return reading.axes[order] ?? 0;
    // one thing alone: whichever axis is pushed most
    return reading.axes.reduce(
      (most, value) => (Math.abs(value) > Math.abs(most) ? value : most),
      0,
    );
  }

  private selectedSite(): number {
    const { selection, model } = this.studio;
    if (selection === null || model === null) return -1;
    if (selection.kind === "frame") return model.linkCount + selection.index;
    return selection.kind === "link" ? selection.index : -1;
  }

  private get isAbsolute(): boolean {
    // buttons have no place of their own, whatever the file says
    if (this.device.type === "buttons") return false;
    return this.data === null ? this.device.kind === "absolute" : this.data.mode === "absolute";
  }

  /** Whether it moves the position alone. */
  private get holdsPoint(): boolean {
    return this.data?.holds === "point";
  }

  private scale(isRotation: boolean): number {
    return (isRotation ? this.data?.rotation_scale : this.data?.scale) ?? 1;
  }

  /** Limits and singular poses nearby are felt. */
  private feel(): void {
    const { status, gauges } = this.studio;
    const limit = status !== null && status.limits.length > 0 ? 0.8 : 0;
    const near = Math.min(gauges?.task ?? 1, gauges?.gain ?? 1);
    const strength = Math.max(limit, near < FELT ? 1 - near / FELT : 0);
    if (strength > 0) this.device.feel?.(strength);
  }
}
