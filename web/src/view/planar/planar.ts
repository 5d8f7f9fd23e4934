// The 2D view of a planar mechanism: bars as lines with their lengths, ground hatched; draggable.
import { FrameLoop } from "../../interact/frame-loop.ts";
import { type Look, readSkeleton } from "../../shapes/index.ts";
import { rotationWithZ } from "../../shapes/solid.ts";
import { applyInverse, type Mat3, type Vec3 } from "../../shapes/vectors.ts";
import type {
  ChoiceHost,
  DesignHost,
  DragHost,
  NoticeHost,
  PathHost,
  PoseHost,
  ProgramHost,
  WorkspaceHost,
} from "../../store/hosts.ts";
import type { Grab } from "../../store/types.ts";
import { fillOf, PALETTES, type Palette, paletteFor } from "../links/palette.ts";
import { drawPath, type FlatFrame, flatHandle, flatWords } from "./path.ts";
import { drawFlat } from "./draw.ts";
import { drawGaps } from "./gaps.ts";
import { drawItems } from "./items.ts";
import { drawTarget } from "./target.ts";
import { FlatReach } from "../workspace/flat-reach.ts";
import { type FlatScene, flatScene, touched } from "./scene.ts";

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

/** What the 2D view shows and lets people grab. */
export type PlanarHost = PoseHost &
  DragHost &
  ChoiceHost &
  NoticeHost &
  ProgramHost &
  WorkspaceHost &
  DesignHost &
  PathHost;

export class PlanarView {
  /** Pictures drawn so far. */
  frames = 0;
  /** Pixels per metre and the place of the plane's origin [px]. */
  scale = 100;
  private origin = { x: 0, y: 0 };
  private palette: Palette = PALETTES.light;
  /** R_WP: the plane's x, y and normal in the world. */
  private plane: Mat3 | null = null;
  private scene: FlatScene | null = null;
  private looks: Look[] = [];
  private fitted = false;
  private dirty = true;
  private readonly loop = new FrameLoop(() => this.step());
  private readonly reach = new FlatReach();
  private readonly held = new Map<number, Held>();
  /** Pointers that draw a path or hold something of it. */
  private readonly drawing = new Map<
    number,
    { move(at: Vec3): void; end(): void; height: number }
  >();
  private readonly endings: (() => void)[] = [];
  private readonly abort = new AbortController();

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly studio: PlanarHost,
  ) {
    const again = () => this.invalidate();
    const rebuild = () => {
      this.plane = null;
      this.fitted = false;
      again();
    };
    this.endings.push(
      studio.on("model", rebuild),
      ...(
        [
          "numbers",
          "pose",
          "selection",
          "settings",
          "status",
          "pins",
          "workspace",
          "path",
          "design",
          "programs",
        ] as const
      ).map((event) => studio.on(event, again)),
    );
    const observer = new ResizeObserver(again);
    observer.observe(canvas);
    this.endings.push(() => observer.disconnect());
    this.listen();
    this.invalidate();
  }

  /** Shows all of the mechanism. */
  fit(): void {
    this.fitted = false;
    this.invalidate();
  }

  /** Where a place of the world [m] is seen in the canvas [px]. */
  onScreen(place: Vec3): [number, number] {
    this.update();
    const [x, y] = this.plane ? applyInverse(this.plane, place) : [0, 0];
    return [this.origin.x + x * this.scale, this.origin.y - y * this.scale];
  }

  dispose(): void {
    this.loop.stop();
    this.abort.abort();
    for (const end of this.endings) end();
    for (const { grab } of this.held.values()) grab?.release("keep");
  }

  private invalidate(): void {
    this.dirty = true;
    this.loop.wake();
  }

  private step(): boolean {
    if (this.held.size) this.studio.tick();
    if (this.dirty) this.draw();
    return this.held.size > 0 && this.studio.isMoving;
  }

  /** Reads the mechanism as it is now. */
  private update(): void {
    const { model, poses } = this.studio;
    if (!model || !poses.length) {
      this.scene = null;
      return;
    }
    if (!this.plane) {
      const { plane, branch, tone } = readSkeleton(model, new Map());
      this.plane = plane ? rotationWithZ(plane.normal) : null;
      this.looks = branch.map((one, link) => ({
        role: "bar",
        branch: one,
        tone: tone[link],
        color: model.data.link_colors[link],
      }));
    }
    this.scene = this.plane ? flatScene(model, poses, this.plane) : null;
    if (!this.fitted && this.scene) this.place(this.scene);
  }

  private place(scene: FlatScene): void {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!width || !height) return;
    const xs = scene.points.map((p) => p[0]);
    const ys = scene.points.map((p) => p[1]);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    const across = Math.max(right - left, 1e-6);
    const up = Math.max(high - low, 1e-6);
    // Names beside it and dimensions under it need room too.
    const room = [Math.max(0.64 * width, width - 150), Math.max(0.64 * height, height - 190)];
    this.scale = Math.min(room[0] / across, room[1] / up);
    this.origin = {
      x: width / 2 - (this.scale * (left + right)) / 2,
      y: height / 2 + (this.scale * (low + high)) / 2,
    };
    this.fitted = true;
  }

  private draw(): void {
    this.dirty = false;
    const { canvas, studio } = this;
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    if (
      canvas.width !== Math.round(width * ratio) ||
      canvas.height !== Math.round(height * ratio)
    ) {
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    const context = canvas.getContext("2d");
    if (!context) return;
    this.palette = paletteFor(studio.settings.theme);
    this.update();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const { plane } = this;
    const sight = { width, height, ratio, scale: this.scale, origin: this.origin };
    drawFlat(context, {
      under: (under) => {
        const { workspace } = studio;
        if (plane) this.reach.draw(under, workspace, plane, sight, this.palette.dark);
      },
      width,
      height,
      scale: this.scale,
      origin: this.origin,
      palette: this.palette,
      scene: this.scene,
      settings: studio.settings,
      selected: studio.selection?.kind === "link" ? studio.selection.index : -1,
      colors: this.looks.map((look) => barColor(look, this.palette)),
      held: studio.status?.limits.map((limit) => limit.joint) ?? [],
      bands: this.bands(),
    });
    if (this.frame) drawPath(context, studio.paths, this.frame, this.palette);
    if (this.frame) drawTarget(context, studio.designs, this.frame, this.palette);
    if (this.frame) drawItems(context, studio, this.frame, this.palette);
    const { openings } = studio.condition;
    if (this.frame) drawGaps(context, openings, this.frame, this.palette, studio.settings);
    this.frames += 1;
  }

  private get frame(): FlatFrame | null {
    const { plane, scale, origin } = this;
    return plane && { plane, scale, origin };
  }

  /** Takes a pointer that draws a path or goes down on one of its handles. */
  private takePath(event: PointerEvent): boolean {
    const { paths, readOnly } = this.studio;
    if (!this.frame || event.button !== 0 || readOnly) return false;
    const box = this.canvas.getBoundingClientRect();
    const reach = event.pointerType === "touch" ? 22 : 11;
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const handle = flatHandle(paths, this.frame, x, y, reach);
    const height = applyInverse(
      this.frame.plane,
      handle?.at ?? paths.place?.centre ?? [0, 0, 0],
    )[2];
    const move = handle
      ? (at: Vec3) => paths.moveHandle(handle.id, at)
      : (at: Vec3) => paths.draw(at);
    if (!handle && paths.mode !== "draw") return false;
    this.drawing.set(event.pointerId, {
      move,
      end: () => (handle ? undefined : paths.endDraw()),
      height,
    });
    return true;
  }

  /** Takes a pointer that points at a place of a design's target. */
  private takeTarget(event: PointerEvent): boolean {
    const { designs } = this.studio;
    if (!this.plane || event.button !== 0 || !designs.picking || !designs.about) return false;
    const height = applyInverse(this.plane, designs.about.at)[2];
    designs.addPoint(toWorld(this.plane, ...this.toPlane(event), height));
    return true;
  }

  /** From every held point to where it should be. */
  private bands(): [[number, number], [number, number]][] {
    const plane = this.plane;
    if (!plane || !this.scene || this.studio.status?.outcome === "reached") return [];
    return this.studio.grabs.flatMap(({ spec }) => {
      if (!spec.position || spec.kind === "rotation") return [];
      const at = this.scene!.placeOf(spec.site, (spec.point ?? [0, 0, 0]) as Vec3);
      const to = applyInverse(plane, Array.from(spec.position) as Vec3);
      return [[at, [to[0], to[1]]] as [[number, number], [number, number]]];
    });
  }

  private listen(): void {
    const { canvas } = this;
    const { signal } = this.abort;
    canvas.style.touchAction = "none";
    canvas.addEventListener("pointerdown", (event) => this.down(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.move(event), { signal });
    canvas.addEventListener("pointerup", (event) => this.up(event), { signal });
    canvas.addEventListener("pointercancel", (event) => this.up(event), { signal });
    canvas.addEventListener("dblclick", () => this.fit(), { signal });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
  }

  /** A pixel of the window in the plane [m]. */
  private toPlane(event: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [
      (event.clientX - box.left - this.origin.x) / this.scale,
      (this.origin.y - (event.clientY - box.top)) / this.scale,
    ];
  }

  private down(event: PointerEvent): void {
    this.update();
    this.canvas.setPointerCapture(event.pointerId);
    if (this.takePath(event) || this.takeTarget(event)) return;
    const [x, y] = this.toPlane(event);
    const reach = (event.pointerType === "touch" ? 22 : 11) / this.scale;
    const hit = event.button === 0 && this.scene ? touched(this.scene, [x, y], reach) : null;
    const held: Held = {
      grab: null,
      link: hit?.link ?? -1,
      point: hit?.point ?? [0, 0, 0],
      offset: hit ? [hit.at[0] - x, hit.at[1] - y] : [0, 0],
      height: hit?.height ?? 0,
      x: event.clientX,
      y: event.clientY,
    };
    this.held.set(event.pointerId, held);
    if (hit) this.studio.select({ kind: "link", index: hit.link, point: hit.point });
    else if (event.button === 0) this.studio.select(null);
  }

  private move(event: PointerEvent): void {
    const drawn = this.drawing.get(event.pointerId);
    if (drawn && this.plane) drawn.move(toWorld(this.plane, ...this.toPlane(event), drawn.height));
    const held = this.held.get(event.pointerId);
    if (!held) {
      const box = this.canvas.getBoundingClientRect();
      const at = [event.clientX - box.left, event.clientY - box.top] as const;
      this.canvas.title = this.frame ? flatWords(this.studio.paths, this.frame, ...at) : "";
      return;
    }
    const { studio, plane } = this;
    if (held.link > 0 && plane) {
      const [x, y] = this.toPlane(event);
      const [u, v] = [x + held.offset[0], y + held.offset[1]];
      const position = toWorld(plane, u, v, held.height);
      held.grab ??= studio.grab({ site: held.link, kind: "point", point: held.point, position });
      held.grab.move({ position });
    } else {
      this.origin.x += event.clientX - held.x;
      this.origin.y += event.clientY - held.y;
    }
    [held.x, held.y] = [event.clientX, event.clientY];
    this.invalidate();
  }

  private up(event: PointerEvent): void {
    this.drawing.get(event.pointerId)?.end();
    this.drawing.delete(event.pointerId);
    const held = this.held.get(event.pointerId);
    this.held.delete(event.pointerId);
    held?.grab?.release();
    this.invalidate();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const step = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    const factor = Math.exp(-Math.max(-240, Math.min(240, step)) * 0.0015);
    this.scale *= factor;
    this.origin.x = x + (this.origin.x - x) * factor;
    this.origin.y = y + (this.origin.y - y) * factor;
    this.invalidate();
  }
}

/** Platforms are almost as light as the paper: there they are grey. */
const barColor = (look: Look, palette: Palette): string =>
  look.branch === 0 && look.color === null ? palette.tool : fillOf(look, palette);

const toWorld = (R: Mat3, x: number, y: number, z: number): Vec3 => [
  R[0] * x + R[1] * y + R[2] * z,
  R[3] * x + R[4] * y + R[5] * z,
  R[6] * x + R[7] * y + R[8] * z,
];
