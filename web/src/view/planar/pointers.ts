// Pointers on the 2D view: they grab links, draw paths, hold handles, move and zoom the picture.
import { applyInverse, type Mat3, type Vec3 } from "../../shapes/vectors.ts";
import type {
  ChoiceHost,
  DesignHost,
  DragHost,
  NoticeHost,
  PathHost,
  PoseHost,
} from "../../store/hosts.ts";
import type { Grab } from "../../store/types.ts";
import { type FlatFrame, flatHandle, flatWords } from "./path.ts";
import { type FlatScene, touched } from "./scene.ts";

/** How near a pointer must be to a part to be at it [px]. */
const [NEAR, NEAR_FINGER] = [11, 22];

interface Held {
  grab: Grab | null;
  link: number;
  point: Vec3;
  /** From the pointer to the held point, in the plane [m]. */
  offset: [number, number];
  height: number;
  x: number;
  y: number;
}

/** What pointers know of the view, and do to it. */
export interface Sheet {
  readonly canvas: HTMLCanvasElement;
  readonly scene: FlatScene | null;
  /** Where the plane is seen; null without a plane. */
  readonly frame: FlatFrame | null;
  /** Reads the mechanism as it is now. */
  update(): void;
  fit(): void;
  /** [px] */
  pan(dx: number, dy: number): void;
  /** About a place of the canvas [px]. */
  zoom(x: number, y: number, factor: number): void;
  invalidate(): void;
}

export class PlanarPointers {
  private readonly held = new Map<number, Held>();
  /** Pointers that draw a path or hold something of it. */
  private readonly drawing = new Map<
    number,
    { move(at: Vec3): void; end(): void; height: number }
  >();
  private readonly abort = new AbortController();

  constructor(
    private readonly sheet: Sheet,
    private readonly studio: PoseHost & DragHost & ChoiceHost & NoticeHost & DesignHost & PathHost,
  ) {
    const { canvas } = sheet;
    const { signal } = this.abort;
    canvas.style.touchAction = "none";
    canvas.addEventListener("pointerdown", (event) => this.down(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.move(event), { signal });
    canvas.addEventListener("pointerup", (event) => this.up(event), { signal });
    canvas.addEventListener("pointercancel", (event) => this.up(event), { signal });
    canvas.addEventListener("dblclick", () => sheet.fit(), { signal });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
  }

  /** Whether a pointer is down. */
  get areDown(): boolean {
    return this.held.size > 0;
  }

  dispose(): void {
    this.abort.abort();
    for (const { grab } of this.held.values()) grab?.release("keep");
  }

  private down(event: PointerEvent): void {
    const { sheet, studio } = this;
    sheet.update();
    sheet.canvas.setPointerCapture(event.pointerId);
    if (this.takePath(event) || this.takeTarget(event)) return;
    const isMain = event.button === 0;
    const at = this.inPlane(event);
    const reach = nearOf(event) / (sheet.frame?.scale ?? 1);
    const hit = isMain && at && sheet.scene ? touched(sheet.scene, at, reach) : null;
    this.held.set(event.pointerId, {
      grab: null,
      link: hit?.link ?? -1,
      point: hit?.point ?? [0, 0, 0],
      offset: hit && at ? [hit.at[0] - at[0], hit.at[1] - at[1]] : [0, 0],
      height: hit?.height ?? 0,
      x: event.clientX,
      y: event.clientY,
    });
    if (hit) studio.select({ kind: "link", index: hit.link, point: hit.point });
    else if (isMain) studio.select(null);
  }

  private move(event: PointerEvent): void {
    const { sheet, studio } = this;
    const { frame } = sheet;
    const at = this.inPlane(event);
    const drawn = this.drawing.get(event.pointerId);
    if (drawn && frame && at) drawn.move(toWorld(frame.plane, at, drawn.height));
    const held = this.held.get(event.pointerId);
    if (!held) {
      sheet.canvas.title = frame ? flatWords(studio.paths, frame, ...this.inCanvas(event)) : "";
      return;
    }
    if (held.link > 0 && frame && at) {
      const { link: site, point, offset, height } = held;
      const position = toWorld(frame.plane, [at[0] + offset[0], at[1] + offset[1]], height);
      held.grab ??= studio.grab({ site, kind: "point", point, position });
      held.grab.move({ position });
    } else sheet.pan(event.clientX - held.x, event.clientY - held.y);
    [held.x, held.y] = [event.clientX, event.clientY];
    sheet.invalidate();
  }

  private up({ pointerId }: PointerEvent): void {
    this.drawing.get(pointerId)?.end();
    this.drawing.delete(pointerId);
    const held = this.held.get(pointerId);
    this.held.delete(pointerId);
    held?.grab?.release();
    this.sheet.invalidate();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const step = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    const factor = Math.exp(-Math.max(-240, Math.min(240, step)) * 0.0015);
    this.sheet.zoom(...this.inCanvas(event), factor);
    this.sheet.invalidate();
  }

  /** Takes a pointer that draws a path or goes down on one of its handles. */
  private takePath(event: PointerEvent): boolean {
    const { paths, readOnly } = this.studio;
    const { frame } = this.sheet;
    if (!frame || event.button !== 0 || readOnly) return false;
    const handle = flatHandle(paths, frame, ...this.inCanvas(event), nearOf(event));
    if (!handle && paths.mode !== "draw") return false;
    const at = handle?.at ?? paths.place?.centre ?? [0, 0, 0];
    const height = applyInverse(frame.plane, at)[2];
    const job = handle
      ? { move: (to: Vec3) => paths.moveHandle(handle.id, to), end: () => undefined }
      : { move: (to: Vec3) => paths.draw(to), end: () => paths.endDraw() };
    this.drawing.set(event.pointerId, { ...job, height });
    return true;
  }

  /** Takes a pointer that points at a place of a design's target. */
  private takeTarget(event: PointerEvent): boolean {
    const { designs } = this.studio;
    const { frame } = this.sheet;
    const at = this.inPlane(event);
    if (!frame || !at || event.button !== 0 || !designs.picking || !designs.about) return false;
    const height = applyInverse(frame.plane, designs.about.at)[2];
    designs.addPoint(toWorld(frame.plane, at, height));
    return true;
  }

  /** A pixel of the window in the canvas [px]. */
  private inCanvas(event: MouseEvent): [number, number] {
    const box = this.sheet.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** A pixel of the window in the plane [m]. */
  private inPlane(event: MouseEvent): [number, number] | null {
    const { frame } = this.sheet;
    if (!frame) return null;
    const [x, y] = this.inCanvas(event);
    return [(x - frame.origin.x) / frame.scale, (frame.origin.y - y) / frame.scale];
  }
}

const nearOf = ({ pointerType }: PointerEvent): number =>
  pointerType === "touch" ? NEAR_FINGER : NEAR;

const toWorld = (R: Mat3, [x, y]: [number, number], z: number): Vec3 => [
  R[0] * x + R[1] * y + R[2] * z,
  R[3] * x + R[4] * y + R[5] * z,
  R[6] * x + R[7] * y + R[8] * z,
];
