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
import { fillOf, PALETTES, type Palette, paletteFor } from "../links/palette.ts";
import { drawPath, type FlatFrame } from "./path.ts";
import { PlanarPointers } from "./pointers.ts";
import { drawFlat } from "./draw.ts";
import { drawGaps } from "./gaps.ts";
import { drawItems } from "./items.ts";
import { drawTarget } from "./target.ts";
import { FlatReach } from "../workspace/flat-reach.ts";
import { type FlatScene, flatScene } from "./scene.ts";

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
  scene: FlatScene | null = null;
  private looks: Look[] = [];
  private fitted = false;
  private dirty = true;
  private readonly loop = new FrameLoop(() => this.step());
  private readonly reach = new FlatReach();
  private readonly pointers: PlanarPointers;
  private readonly endings: (() => void)[] = [];

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
    this.pointers = new PlanarPointers(this, studio);
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
    this.pointers.dispose();
    for (const end of this.endings) end();
  }

  /** Moves the picture [px]. */
  pan(dx: number, dy: number): void {
    this.origin.x += dx;
    this.origin.y += dy;
  }

  /** Zooms about a place of the canvas [px]. */
  zoom(x: number, y: number, factor: number): void {
    this.scale *= factor;
    this.origin.x = x + (this.origin.x - x) * factor;
    this.origin.y = y + (this.origin.y - y) * factor;
  }

  invalidate(): void {
    this.dirty = true;
    this.loop.wake();
  }

  private step(): boolean {
    const { areDown } = this.pointers;
    if (areDown) this.studio.tick();
    if (this.dirty) this.draw();
    return areDown && this.studio.isMoving;
  }

  /** Reads the mechanism as it is now. */
  update(): void {
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
    const { frame, palette } = this;
    if (frame) {
      drawPath(context, studio.paths, frame, palette);
      drawTarget(context, studio.designs, frame, palette);
      drawItems(context, studio, frame, palette);
      drawGaps(context, studio.condition.openings, frame, palette, studio.settings);
    }
    this.frames += 1;
  }

  /** Where the plane is seen; null without a plane. */
  get frame(): FlatFrame | null {
    const { plane, scale, origin } = this;
    return plane && { plane, scale, origin };
  }

  /** From every held point to where it should be. */
  private bands(): [[number, number], [number, number]][] {
    const { plane, scene } = this;
    if (!plane || !scene || this.studio.status?.outcome === "reached") return [];
    return this.studio.grabs.flatMap(({ spec }) => {
      if (!spec.position || spec.kind === "rotation") return [];
      const at = scene.placeOf(spec.site, (spec.point ?? [0, 0, 0]) as Vec3);
      const to = applyInverse(plane, Array.from(spec.position) as Vec3);
      return [[at, [to[0], to[1]]] as [[number, number], [number, number]]];
    });
  }
}

/** Platforms are almost as light as the paper: there they are grey. */
const barColor = (look: Look, palette: Palette): string =>
  look.branch === 0 && look.color === null ? palette.tool : fillOf(look, palette);
