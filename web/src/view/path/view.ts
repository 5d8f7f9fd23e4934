// The path in the 3D view: its line and dots, what can be dragged of it, and words at its marks.
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Vector3,
} from "three";
import type { EventHost, NoticeHost, PathHost } from "../../store/hosts.ts";
import type { CurveHandle } from "../../store/path/handles.ts";
import type { Triple } from "../../store/path/vectors.ts";
import type { PathPlan } from "../../store/path/plan.ts";
import type { Paths } from "../../store/path/paths.ts";
import type { Label } from "../labels/labels.ts";
import { Polyline } from "../overlays/marks.ts";
import { mixed, type Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { type PathAround, PathPointers, REACH } from "./pointers.ts";
import { type PathPicture, pathPicture, pointUnder, wordsOf } from "./picture.ts";
import { Sprites } from "./sprites.ts";

export class PathView implements Part {
  private readonly group = new Group();
  private readonly reached: Polyline[] = [];
  private readonly missed: Polyline[] = [];
  private readonly dots: Sprites;
  private readonly crosses: Sprites;
  private readonly warnings: Sprites;
  private readonly here: Sprites;
  private readonly knobs: Sprites;
  private readonly middles: Sprites;
  private readonly stroke: Polyline;
  private readonly polygon: Polyline;
  private readonly grid: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly note: Label;
  private readonly abort = new AbortController();
  private readonly end: () => void;
  private readonly pointers: PathPointers;
  private shown: PathPlan | null = null;
  private pressed: { x: number; y: number } | null = null;

  constructor(
    private readonly context: ViewContext<
      EventHost & NoticeHost & PathHost,
      "root" | "labels" | "camera" | "palette" | "aim" | "invalidate"
    >,
    private readonly canvas: HTMLCanvasElement,
    private readonly around: PathAround,
  ) {
    const { root } = context;
    root.add(this.group);
    this.pointers = new PathPointers(context, canvas, around);
    this.grid = new LineSegments(
      new BufferGeometry(),
      new LineBasicMaterial({ transparent: true, opacity: 0.35, depthWrite: false }),
    );
    this.grid.raycast = () => undefined;
    this.grid.frustumCulled = false;
    this.group.add(this.grid);
    this.dots = new Sprites(this.group, "dot", 6, 6);
    this.crosses = new Sprites(this.group, "cross", 11, 7);
    this.warnings = new Sprites(this.group, "triangle", 17, 8);
    this.here = new Sprites(this.group, "ring", 15, 8);
    this.polygon = new Polyline(this.group, "#888888", 1);
    this.knobs = new Sprites(this.group, "square", 14, 10);
    this.middles = new Sprites(this.group, "diamond", 17, 10);
    this.stroke = new Polyline(this.group, "#888888", 3);
    this.note = context.labels.add("note");
    this.note.visible = false;
    this.end = context.studio.on("path", () => context.invalidate());
    const { signal } = this.abort;
    canvas.addEventListener("pointermove", (event) => this.hover(event), { signal });
    canvas.addEventListener("pointerleave", () => this.say(-1), { signal });
    canvas.addEventListener(
      "pointerdown",
      (event) => (this.pressed = { x: event.clientX, y: event.clientY }),
      { signal, capture: true },
    );
    canvas.addEventListener("pointerup", (event) => this.tapped(event), { signal });
  }

  private get paths(): Paths {
    return this.context.studio.paths;
  }

  paint(palette: Palette): void {
    const paper = palette.dark ? "#14181e" : "#ffffff";
    this.dots.paint(palette.accent, palette.accent);
    this.crosses.paint(palette.danger, palette.danger);
    this.warnings.paint(palette.outline, palette.motor);
    this.here.paint(palette.ink, mixed(palette.accent, paper, 0.4));
    this.knobs.paint(palette.accent, paper);
    this.middles.paint(palette.accent, mixed(palette.accent, paper, 0.65));
    this.grid.material.color.set(palette.faint);
    this.polygon.color = palette.faint;
    this.stroke.color = palette.accent;
    for (const line of this.reached) line.color = palette.accent;
    for (const line of this.missed) line.color = palette.danger;
  }

  frame(): void {
    const { paths } = this;
    if (paths.plan !== this.shown) this.show(paths.plan);
    const { handles, plan } = paths;
    const flat = (kind: (one: CurveHandle) => boolean): Float32Array =>
      Float32Array.from(handles.filter(kind).flatMap((one) => one.at));
    this.knobs.set(flat((one) => one.kind !== "middle"));
    this.middles.set(flat((one) => one.kind === "middle"));
    const { curve } = paths;
    this.polygon.set(curve?.kind === "bezier" && handles.length ? curve.points : []);
    this.stroke.set(paths.stroke);
    this.here.set(
      plan && paths.walk.at !== null
        ? Float32Array.from(plan.point(paths.walk.at))
        : new Float32Array(0),
    );
    const picks = curve?.kind === "picks" ? curve.points : [];
    if (picks.length) this.knobs.set(Float32Array.from(picks.flat()));
    // else as the parts under the pointer have it
    if (paths.mode === "draw" || paths.mode === "pick") this.canvas.style.cursor = "crosshair";
    else if (this.pointers.held) this.canvas.style.cursor = "grabbing";
  }

  /** Takes a pointer that draws, picks, or goes down on a handle. */
  take(event: PointerEvent) {
    return this.pointers.take(event);
  }

  /** Places of the path, for a view of everything. */
  places(): Vector3[] {
    const { plan } = this.paths;
    if (!plan) return [];
    const all = Array.from({ length: plan.count }, (_, i) => new Vector3(...plan.point(i)));
    return all.filter((p) => Number.isFinite(p.x + p.y + p.z));
  }

  dispose(): void {
    this.abort.abort();
    this.end();
    this.note.remove();
    this.group.removeFromParent();
    this.grid.geometry.dispose();
    this.grid.material.dispose();
    const lines = [...this.reached, ...this.missed, this.stroke, this.polygon];
    const marks = [this.dots, this.crosses, this.warnings, this.here, this.knobs, this.middles];
    for (const one of [...lines, ...marks]) one.dispose();
  }

  private show(plan: PathPlan | null): void {
    this.shown = plan;
    this.say(-1);
    const none = new Float32Array(0);
    const empty: PathPicture = {
      reached: [],
      missed: [],
      dots: none,
      crosses: none,
      warnings: none,
    };
    const picture = plan ? pathPicture(plan) : empty;
    const { palette } = this.context;
    this.lines(this.reached, picture.reached, palette.accent);
    this.lines(this.missed, picture.missed, palette.danger);
    this.dots.set(picture.dots);
    this.crosses.set(picture.crosses);
    this.warnings.set(picture.warnings);
    this.showGrid(plan);
    if (!plan?.isNew) return;
    plan.isNew = false;
    // what was put beside the picture is brought into it
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const isOut = this.places().some((p) => {
      const [x, y] = this.around.onScreen(p.toArray());
      return x < 0 || y < 0 || x > width || y > height;
    });
    if (isOut) this.around.fit();
  }

  private lines(have: Polyline[], wanted: Triple[][], color: string): void {
    while (have.length < wanted.length) have.push(new Polyline(this.group, color, 1.6));
    have.forEach((line, i) => line.set(wanted[i] ?? []));
  }

  private showGrid(plan: PathPlan | null): void {
    this.grid.geometry.dispose();
    this.grid.geometry = new BufferGeometry();
    this.grid.visible = !!plan?.grid;
    if (!plan?.grid) return;
    const { curves, points, xyz } = plan.grid;
    const ends: number[] = [];
    const add = (i: number, j: number): void => {
      const both = [...xyz.subarray(3 * i, 3 * i + 3), ...xyz.subarray(3 * j, 3 * j + 3)];
      if (both.every(Number.isFinite)) ends.push(...both);
    };
    for (let c = 0; c < curves; ++c)
      for (let k = 0; k + 1 < points; ++k) add(c * points + k, c * points + k + 1);
    this.grid.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(ends), 3));
  }

  // Words under the pointer

  private hover(event: PointerEvent): void {
    if (event.buttons || event.pointerType === "touch" || !this.shown) return;
    this.canvas.style.cursor = this.pointers.handleAt(event) ? "grab" : this.canvas.style.cursor;
    this.say(this.under(event));
  }

  private tapped(event: PointerEvent): void {
    const { pressed } = this;
    const far = pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
    if (event.pointerType === "touch" && far !== null && far < 6) this.say(this.under(event));
  }

  private under(event: PointerEvent): number {
    if (!this.shown) return -1;
    const reach = event.pointerType === "touch" ? REACH.touch : REACH.mouse;
    return pointUnder(
      this.shown,
      (p) => this.around.onScreen(p),
      ...this.pointers.inCanvas(event),
      reach,
    );
  }

  private say(index: number): void {
    const plan = this.shown;
    const isShown = index >= 0 && plan !== null;
    if (!isShown && !this.note.visible) return;
    this.note.visible = isShown;
    if (isShown) {
      this.note.at = plan.point(index);
      this.note.text = wordsOf(plan, index);
    }
    this.context.invalidate();
  }
}
