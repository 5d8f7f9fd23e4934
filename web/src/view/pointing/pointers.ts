// Pointers on the canvas: who grabs a link, who turns the camera, who only clicks.
import type { Ray, Vector3 } from "three";
import { PointerGrab } from "../../interact/grab.ts";
import { poseAt, quatOf } from "../../kernel/spatial.ts";
import type {
  ChoiceHost,
  DragHost,
  ModelHost,
  NoticeHost,
  SimulationHost,
} from "../../store/hosts.ts";
import type { Grab } from "../../store/types.ts";
import type { FlyKeys } from "../camera/fly.ts";
import type { ViewContext } from "../part.ts";
import { type Hit, plainRay, worldRay } from "./rays.ts";

/** A pointer must move this far to drag rather than click [px]. */
const CLICK = 3;
/** Turning a link by pulling [rad/px]. */
const TURN = 0.008;

/** What does something with a pointer until it is let go. */
export interface Taken {
  move(event: PointerEvent): void;
  /** The wheel, while it is held [px]. */
  wheel?(step: number): void;
  end(): void;
}

/** What the view knows about a pixel. */
export interface Surroundings {
  pick(clientX: number, clientY: number): Hit | null;
  /** A click on a link or beside all of them. */
  clicked(hit: Hit | null, event: PointerEvent): void;
  /** Lets a gizmo take the pointer: what to do with its moves, or null. */
  take(event: PointerEvent): Taken | null;
  /** The plane that a link's points move in, if the mechanism is flat. */
  planeOf(): Vector3 | null;
}

type Job =
  | { kind: "press"; hit: Hit }
  | { kind: "grab"; grab: Grab; held: PointerGrab }
  | { kind: "taken"; by: Taken }
  | { kind: "camera"; how: "orbit" | "pan" | "look" };

interface Pointer {
  job: Job;
  startX: number;
  startY: number;
  x: number;
  y: number;
  moved: boolean;
}

export class Pointers {
  /** Where a pointer hovers without a button, for the highlight. */
  hover: { x: number; y: number } | null = null;
  private readonly pointers = new Map<number, Pointer>();
  private readonly abort = new AbortController();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly context: ViewContext<
      ModelHost & DragHost & ChoiceHost & NoticeHost & SimulationHost,
      "root" | "camera" | "aim" | "invalidate"
    >,
    private readonly around: Surroundings,
    private readonly fly: FlyKeys,
  ) {
    const { signal } = this.abort;
    canvas.style.touchAction = "none";
    canvas.addEventListener("pointerdown", (event) => this.down(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.move(event), { signal });
    // Every report of the device, not only one per frame, so that the last is never old.
    canvas.addEventListener("pointerrawupdate", (event) => this.raw(event as PointerEvent), {
      signal,
    });
    for (const end of ["pointerup", "pointercancel"] as const)
      canvas.addEventListener(end, (event) => this.up(event, end === "pointercancel"), { signal });
    canvas.addEventListener("pointerleave", () => (this.hover = null), { signal });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  }

  /** Whether something is being dragged. */
  get busy(): boolean {
    return this.pointers.size > 0;
  }

  dispose(): void {
    this.abort.abort();
    for (const pointer of this.pointers.values()) this.finish(pointer.job, true);
  }

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    const { clientX: x, clientY: y } = event;
    this.hover = null;
    const pointer = { startX: x, startY: y, x, y, moved: false, job: this.jobFor(event) };
    this.pointers.set(event.pointerId, pointer);
    this.context.invalidate();
  }

  private jobFor(event: PointerEvent): Job {
    if (event.button === 2) return { kind: "camera", how: this.fly.active ? "look" : "pan" };
    if (event.button === 1) return { kind: "camera", how: "pan" };
    const by = this.around.take(event);
    if (by) return { kind: "taken", by };
    const hit = this.around.pick(event.clientX, event.clientY);
    if (hit && !event.shiftKey && !this.context.studio.readOnly) return { kind: "press", hit };
    if (this.fly.toggled) return { kind: "camera", how: "look" };
    return { kind: "camera", how: event.shiftKey ? "pan" : "orbit" };
  }

  private raw(event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    if (pointer?.job.kind === "grab") this.pull(pointer.job, event);
    else if (pointer?.job.kind === "taken") pointer.job.by.move(event);
  }

  private move(event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) {
      if (event.pointerType !== "touch") this.hover = { x: event.clientX, y: event.clientY };
      return;
    }
    const [dx, dy] = [event.clientX - pointer.x, event.clientY - pointer.y];
    const far = Math.hypot(event.clientX - pointer.startX, event.clientY - pointer.startY);
    if (far > CLICK) pointer.moved = true;
    if (pointer.job.kind === "press" && pointer.moved)
      pointer.job = this.begin(pointer.job.hit, pointer.startX, pointer.startY);
    const { job } = pointer;
    if (job.kind === "grab") this.pull(job, event);
    else if (job.kind === "taken") job.by.move(event);
    else if (job.kind === "camera") this.turn(job.how, event.pointerId, dx, dy);
    [pointer.x, pointer.y] = [event.clientX, event.clientY];
    this.context.invalidate();
  }

  private up(event: PointerEvent, cancelled: boolean): void {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    this.pointers.delete(event.pointerId);
    this.finish(pointer.job, cancelled);
    const click = !pointer.moved && !cancelled && event.button === 0;
    if (click && pointer.job.kind === "press") this.around.clicked(pointer.job.hit, event);
    else if (click && pointer.job.kind === "camera")
      this.around.clicked(this.around.pick(event.clientX, event.clientY), event);
    this.context.invalidate();
  }

  private finish(job: Job, cancelled: boolean): void {
    if (job.kind === "grab") job.grab.release(cancelled ? "keep" : undefined);
    if (job.kind === "taken") job.by.end();
  }

  // Grabbing

  private begin(hit: Hit, x: number, y: number): Job {
    const { studio, camera } = this.context;
    // The base does not move: pulling at it turns the view.
    if (hit.link === 0) return { kind: "camera", how: "orbit" };
    const { isRunning, settings } = studio.simulation;
    const mode = isRunning ? (settings.whole ? "pose" : "point") : studio.settings.dragMode;
    const quat = Array.from(studio.poses.subarray(7 * hit.link, 7 * hit.link + 4));
    studio.select({ kind: "link", index: hit.link, point: hit.point });
    const place = { site: hit.link, point: hit.point, position: hit.at };
    const grab = studio.grab(
      mode === "point"
        ? { ...place, kind: "point" }
        : mode === "rotate"
          ? { site: hit.link, kind: "rotation", quat }
          : { ...place, kind: "pose", quat },
    );
    if (!grab.active) return { kind: "camera", how: "orbit" };
    const view = camera.basis()[2].negate().toArray();
    const planeNormal = this.around.planeOf()?.toArray() ?? null;
    const held = new PointerGrab(hit.at, plainRay(this.ray(x, y)), view, { planeNormal, quat });
    return { kind: "grab", grab, held };
  }

  /** Gives a grab its new target under the pointer. */
  private pull(job: Extract<Job, { kind: "grab" }>, event: PointerEvent): void {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    const { spec } = job.grab;
    const ray = plainRay(this.ray(event.clientX, event.clientY));
    const { studio } = this.context;
    if (spec.kind === "rotation" || (event.shiftKey && studio.simulation.isRunning)) {
      const [right, up] = this.context.camera.basis();
      const [dx, dy] = [event.clientX - pointer.x, event.clientY - pointer.y];
      [pointer.x, pointer.y] = [event.clientX, event.clientY];
      // a hand that held a point alone takes the part as it is turned now
      if (!spec.quat) job.held.quat = quatOf(poseAt(studio.poses, spec.site));
      const turned = job.held.turn(dx * TURN, -dy * TURN, right.toArray(), up.toArray());
      job.held.anchor(ray);
      job.grab.move({ quat: turned });
    } else job.grab.move({ position: job.held.target(ray) });
    this.context.invalidate();
  }

  private ray(x: number, y: number): Ray {
    return worldRay(this.context.aim(x, y), this.context.root);
  }

  // The camera

  private turn(how: "orbit" | "pan" | "look", id: number, dx: number, dy: number): void {
    const { camera } = this.context;
    const height = this.canvas.clientHeight || 1;
    const others = [...this.pointers].filter(
      ([other, pointer]) => other !== id && pointer.job.kind === "camera",
    );
    if (others.length) {
      this.pinch(id, others[0][1], dx, dy);
      return;
    }
    const looks = how === "look" || (how === "pan" && this.fly.keys.size > 0);
    if (looks) camera.fly(0, 0, 0, (-dx / height) * 1.6, (dy / height) * -1.6);
    else if (how === "pan") camera.pan(-dx / height, dy / height);
    else camera.orbit((-dx / height) * 3.4, (dy / height) * 3.4);
  }

  /** Two fingers: their middle shifts the view, their distance zooms. */
  private pinch(id: number, other: Pointer, dx: number, dy: number): void {
    const { camera } = this.context;
    const own = this.pointers.get(id);
    if (!own) return;
    const height = this.canvas.clientHeight || 1;
    const before = Math.hypot(own.x - other.x, own.y - other.y);
    const after = Math.hypot(own.x + dx - other.x, own.y + dy - other.y);
    const middle = this.context.aim((own.x + other.x) / 2, (own.y + other.y) / 2).clip;
    if (before > 8 && after > 8) camera.zoom(before / after, middle.x, middle.y);
    camera.pan(-dx / 2 / height, dy / 2 / height);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const step = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);
    const grabbing = [...this.pointers.values()].find(({ job }) => job.kind === "grab");
    if (grabbing?.job.kind === "grab") {
      // The wheel takes what is held away from the eye or nearer.
      const { grab, held } = grabbing.job;
      const ray = plainRay(this.ray(grabbing.x, grabbing.y));
      if (grab.spec.kind !== "rotation") grab.move({ position: held.push(-step * 0.0006, ray) });
      this.context.invalidate();
      return;
    }
    const taken = [...this.pointers.values()].find(({ job }) => job.kind === "taken");
    if (taken?.job.kind === "taken" && taken.job.by.wheel) {
      taken.job.by.wheel(step);
      return;
    }
    const at = this.context.aim(event.clientX, event.clientY).clip;
    const speed = event.ctrlKey ? 0.01 : 0.0014;
    this.context.camera.zoom(Math.exp(Math.max(-240, Math.min(240, step)) * speed), at.x, at.y);
    this.context.invalidate();
  }
}
