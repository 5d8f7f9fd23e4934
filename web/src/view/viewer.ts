// The view of a mechanism: draws what the studio knows, on request, and lets it be grabbed.
import { type Camera, type Matrix4, type Object3D, Vector3 } from "three";
import { FrameLoop } from "../interact/frame-loop.ts";
import { readSkeleton, roomyTravels } from "../shapes/index.ts";
import type { PageModel } from "../kernel/page-model.ts";
import type { ViewHost } from "../store/hosts.ts";
import type { Ghost } from "../store/types.ts";
import type { SensorData } from "../wire/messages.ts";
import { OrbitCamera, type ViewName } from "./camera/camera.ts";
import { HandsView } from "./forces/hands-view.ts";
import { coveredBy, type Frame, measure } from "./camera/framing.ts";
import { Ghosts } from "./ghosts.ts";
import { Gizmo } from "./pointing/gizmo.ts";
import { Gravity } from "./camera/gravity.ts";
import { Floor } from "./stage/grid.ts";
import { Labels } from "./labels/labels.ts";
import { Links } from "./links/links.ts";
import { Materials } from "./links/materials.ts";
import { MeshFiles } from "./links/meshes/files.ts";
import { SceneObjects } from "./objects/objects.ts";
import { type Palette, PALETTES, paletteFor } from "./links/palette.ts";
import type { Part, WholeView } from "./part.ts";
import { makeParts } from "./parts.ts";
import { PathView } from "./path/view.ts";
import { presenceOf } from "./people/presence.ts";
import { Arrangement } from "./stage/arrangement.ts";
import { photograph } from "./stage/photograph.ts";
import { Picking } from "./pointing/picking.ts";
import { Pointing } from "./pointing/pointing.ts";
import type { Aim, Hit } from "./pointing/rays.ts";
import { type Point, toThree, worldRoot } from "./spaces.ts";
import { Stage } from "./stage/stage.ts";
import { Stereo } from "./stereo/stereo.ts";
import { WallScreen } from "./stereo/wall-screen.ts";
import { SceneLights } from "./world/lights.ts";
import { lookFrom } from "./world/look-from.ts";
import { sensorPlace } from "./world/sensor-marks.ts";

/** News after which the picture is another one, and nothing else. */
const REDRAWN = [
  ...(["pose", "grabs", "pins", "status", "selection", "ghosts", "overlay", "collisions"] as const),
  ...(["objects", "workspace", "design", "maps", "backlash", "programs", "live"] as const),
  ...(["people", "avatar", "robot", "robotFrame", "wall"] as const),
];

export interface ViewerOptions {
  /** Cheap pictures for tests: coarse, no antialiasing, no shadows; by default as `?lowfx` says. */
  lowfx?: boolean;
}

export class Viewer implements WholeView {
  /** Pictures drawn so far. */
  frames = 0;
  readonly root = worldRoot();
  readonly camera = new OrbitCamera();
  readonly materials = new Materials();
  readonly labels: Labels;
  readonly links: Links;
  readonly objects: SceneObjects;
  palette: Palette = PALETTES.light;
  height = 1;
  width = 1;

  readonly stage: Stage;
  readonly stereo: Stereo;
  /** What this window is of a wall of screens. */
  readonly wall: WallScreen;
  /** Links that hands in a headset are at. */
  touched: ReadonlySet<number> = new Set();
  mostPoints: number | null = null;

  private readonly floor = new Floor();
  /** What the links were built of. */
  private built: PageModel | null = null;
  private readonly files: MeshFiles;
  private readonly picking: Picking;
  private readonly pointing: Pointing;
  private readonly arrangement: Arrangement;
  /** Arrows and rings of what is chosen. */
  readonly gizmo: Gizmo;
  private readonly ghosts: Ghosts;
  private readonly path: PathView;
  private readonly hands: HandsView;
  private readonly parts: Part[];
  private readonly endings: (() => void)[] = [];
  private dirty = { model: true, shapes: true, paint: true, picture: true };
  private readonly loop = new FrameLoop((seconds) => this.step(seconds));
  private plane: Vector3 | null = null;
  /** Whether a headset draws: the window's own frames rest. */
  private isImmersed = false;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly studio: ViewHost,
    options: ViewerOptions = {},
  ) {
    const lowfx = options.lowfx ?? new URLSearchParams(location.search).has("lowfx");
    this.stage = new Stage(canvas, lowfx);
    this.wall = new WallScreen(studio, this.camera);
    this.stereo = new Stereo(canvas, this.camera, this.wall.isWanted ? this.wall : null);
    this.stereo.choose(studio.settings);
    this.camera.covered = () => coveredBy(canvas);
    this.labels = new Labels(canvas);
    // a label would be cut where two screens meet, and stand at another depth than its part
    this.labels.hidden = this.wall.isWanted;
    this.files = new MeshFiles(
      () => this.invalidate(),
      () => this.meshesArrived(),
    );
    this.links = new Links(this.materials, this.files);
    this.objects = new SceneObjects(this.files);
    this.root.add(this.floor.group, this.links.group, this.objects.group);
    this.stage.scene.add(this.root);
    this.picking = new Picking(this);
    this.gizmo = new Gizmo(this);
    this.ghosts = new Ghosts(this);
    this.path = new PathView(this, canvas, {
      fit: () => this.fit(),
      onScreen: (place) => this.onScreen(place),
      planeOf: () => this.plane,
      surface: (x, y) => this.picking.surface(x, y),
    });
    this.hands = new HandsView(this, {
      surface: (x, y) => this.picking.touched(x, y),
      planeOf: () => this.plane,
    });
    const gravity = new Gravity(this);
    const { stage, floor, camera, links, objects } = this;
    const invalidate = (): void => this.invalidate();
    const room = { stage, floor, camera, links, objects, gravity, invalidate };
    this.arrangement = new Arrangement(studio, room);
    const own = [this.gizmo, this.ghosts, this.path, this.hands, gravity];
    const lights = new SceneLights(this, this.stage);
    this.parts = [...own, lights, ...makeParts(this, this.files)];
    this.pointing = new Pointing(this, {
      canvas,
      ...{ picking: this.picking, ghosts: this.ghosts, planeOf: () => this.plane },
      take: (event) =>
        this.hands.take(event) ??
        this.gizmo.take(event) ??
        this.path.take(event) ??
        this.parts.map((part) => part.pointed?.(event) ?? null).find((one) => one !== null) ??
        null,
      beside: (x, y) => this.parts.some((part) => part.click?.(x, y)),
    });
    this.listen();
    this.resize();
    this.step(0);
    this.loop.wake();
  }

  /** Shows all of the mechanism. */
  fit(smooth = true): void {
    // what came a moment ago is to be seen too
    if (this.dirty.model || this.dirty.shapes) this.draw(0);
    const more = this.parts.flatMap((part) => part.places?.() ?? []);
    this.arrangement.show([...measure(this.links, this.objects).cloud, ...more], smooth);
    this.invalidate();
  }

  setView(name: ViewName, smooth = true): void {
    this.camera.named(name, smooth);
    this.invalidate();
  }

  /** Flying by keys without holding the right button. */
  set flying(on: boolean) {
    this.pointing.fly.toggled = on;
  }
  get flying(): boolean {
    return this.pointing.fly.toggled;
  }

  /** Radius of the mechanism [m]. */
  get extent(): number {
    return this.camera.extent;
  }

  /** The link under a place of the window, and where it is touched; null behind an object. */
  pick(clientX: number, clientY: number): Hit | null {
    return this.picking.link(clientX, clientY);
  }

  /** The object of the scene under a place of the window, by its index. */
  pickObject(clientX: number, clientY: number): number | null {
    return this.picking.object(clientX, clientY)?.index ?? null;
  }

  /** Where a place of the world [m] is seen in the canvas [px]. */
  onScreen(place: Point): [number, number] {
    const { x, y } = toThree(place).project(this.eye);
    return this.stereo.inCanvas(x, y, this.canvas.clientWidth, this.canvas.clientHeight);
  }

  get eye(): Camera {
    return this.stereo.eye;
  }

  aim(clientX: number, clientY: number): Aim {
    return this.stereo.aim(clientX, clientY);
  }

  /** Asks for a picture in the next frame. */
  invalidate(): void {
    this.dirty.picture = true;
    this.loop.wake();
  }

  /** Whether frames come: something has just happened, or still moves. */
  get isAwake(): boolean {
    return this.loop.isAwake;
  }

  /** Leaves drawing to a headset, or takes it back; floor and sky are the headset's own then. */
  set immersed(on: boolean) {
    this.isImmersed = on;
    if (on) this.pointing.rest();
    this.labels.hidden = on || this.wall.isWanted;
    this.stage.backdrop = this.floor.group.visible = !on;
    if (on) return;
    this.gizmo.eyes = null;
    this.stage.scale = 1;
    this.touched = new Set();
    this.resize();
    this.invalidate();
  }
  get immersed(): boolean {
    return this.isImmersed;
  }

  /** Leaves out what pictures can do without, whatever is opened and set meanwhile; null: nothing. */
  spare(left: { shadows: boolean; outlines: boolean; points: number } | null): void {
    this.stage.sparesShadows = left?.shadows === false;
    this.links.outlines = left?.outlines !== false;
    this.mostPoints = left?.points ?? null;
  }

  /**
   * A frame for a headset, which has its own rhythm: all but the window's camera and pointer.
   * @param scale Metres of the world per metre of the user.
   */
  stepFor(eyes: Camera, scale: number, seconds: number): void {
    this.stage.scale = scale;
    this.gizmo.eyes = eyes;
    this.studio.tick();
    this.measureEye();
    this.draw(seconds, eyes);
  }

  /** Whether what is shown is the present mechanism: one that was just opened is built when drawn. */
  get isCurrent(): boolean {
    return this.built === this.studio.model && !this.dirty.model;
  }

  /** How large everything is and where it stands, and which way is up. */
  frameOf(): Frame & { up: Vector3 } {
    return this.arrangement.frame();
  }

  /** The plane that a flat mechanism moves in, by its normal; null for others. */
  get flat(): Vector3 | null {
    return this.plane;
  }

  /** Everything that hands can take. */
  get touchable(): Object3D[] {
    return [...this.links.targets, this.objects.group];
  }

  /** The link that a body of the view belongs to, or that carries it; null: none. */
  linkOf(body: Object3D): number | null {
    return this.picking.linkOf(body);
  }

  /** The phantom to which the body belongs that is found among those that can be taken. */
  phantomAlong(find: (bodies: Object3D[]) => Object3D | undefined): Ghost | null {
    return this.ghosts.among(find);
  }

  /** Lights the phantom that a click would take. */
  lightPhantom(ghost: Ghost | null): void {
    this.ghosts.light(ghost);
  }

  choosePhantom(ghost: Ghost): void {
    this.ghosts.choose(ghost);
  }

  /** Goes to the place of a part, such as a point of a cloud, at which a ray points: −z of a pose in
   * the world; false: at none. */
  goAlong(X_WH: Matrix4): boolean {
    return this.parts.some((part) => part.goAlong?.(X_WH) ?? false);
  }

  /** Draws what a camera of the world sees into a canvas. */
  lookFrom(sensor: SensorData, canvas: HTMLCanvasElement): void {
    const X_WS = sensorPlace(this, sensor);
    // a headset needs all of the time, and the light is that of its own scale
    if (!X_WS || !sensor.camera || this.isImmersed) return;
    const { renderer, scene } = this.stage;
    lookFrom(renderer, scene, X_WS.premultiply(this.root.matrixWorld), sensor.camera, canvas);
  }

  /** The picture as a PNG, with its labels; of another size [px] where one is given. */
  async screenshot(width = 0, height = 0): Promise<Blob> {
    const { renderer } = this.stage;
    const ratio = renderer.getPixelRatio();
    this.studio.tick();
    if (width > 0 && height > 0) {
      renderer.setPixelRatio(1);
      this.resize(width, height);
    } else this.draw(0);
    const picture = photograph(this.canvas, this.labels, this.palette, this.width);
    if (width > 0 && height > 0) {
      renderer.setPixelRatio(ratio);
      this.resize();
    }
    return picture;
  }

  dispose(): void {
    for (const end of this.endings) end();
    this.loop.stop();
    this.pointing.dispose();
    for (const part of this.parts) part.dispose();
    this.links.clear();
    this.objects.clear();
    this.floor.dispose();
    this.materials.dispose();
    this.labels.dispose();
    this.stereo.dispose();
    this.stage.dispose();
  }

  private listen(): void {
    const { studio } = this;
    const again = () => this.invalidate();
    this.endings.push(
      // whatever happens may move something
      studio.onAny(this.loop.wake),
      studio.on("model", () => {
        this.dirty.model = true;
        this.invalidate();
      }),
      ...(["numbers", "shapes"] as const).map((event) =>
        studio.on(event, () => {
          this.dirty.shapes = true;
          this.invalidate();
        }),
      ),
      studio.on("settings", () => {
        this.dirty.paint = true;
        if (this.stereo.choose(studio.settings)) this.resize();
        this.invalidate();
      }),
      studio.on("snapshot", () => {
        this.objects.build(studio.snapshot?.objects ?? [], this.palette);
        // its wall may have another screen in place of this one
        if (this.stereo.choose(studio.settings)) this.resize();
        this.invalidate();
      }),
      ...REDRAWN.map((event) => studio.on(event, again)),
      studio.on("simulation", () => {
        // another gravity under a floor turns the floor, before the simulation gets its height
        if (this.isCurrent && !this.arrangement.isUpright) this.arrangement.arrange(this.plane);
        this.invalidate();
      }),
    );
    this.listenToWindow();
  }

  private listenToWindow(): void {
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.canvas);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => {
      this.dirty.paint = true;
      this.invalidate();
    };
    scheme.addEventListener("change", repaint);
    this.canvas.addEventListener("webglcontextrestored", repaint);
    const hovers = ["pointermove", "pointerleave"] as const;
    for (const name of hovers) this.canvas.addEventListener(name, this.loop.wake);
    this.endings.push(
      () => hovers.forEach((name) => this.canvas.removeEventListener(name, this.loop.wake)),
      () => this.canvas.removeEventListener("webglcontextrestored", repaint),
      () => observer.disconnect(),
      () => scheme.removeEventListener("change", repaint),
    );
  }

  /** Marks of so many pixels are those of an eye's picture. */
  private measureEye(): void {
    const eye = this.stage.renderer.xr.getCamera().cameras[0]?.viewport;
    if (!eye || (eye.width === this.width && eye.height === this.height)) return;
    [this.width, this.height] = [eye.width, eye.height];
    this.materials.resize(this.height);
  }

  private resize(width = this.canvas.clientWidth, height = this.canvas.clientHeight): void {
    if (this.isImmersed) return;
    const [w, h] = [width || 1, height || 1];
    this.stage.renderer.setSize(w, h, false);
    [this.width, this.height] = this.stereo.picture(w, h);
    this.labels.spread(this.stereo.cells(w, h), this.width, this.height);
    const before = this.camera.camera.aspect;
    this.camera.resize(this.width, this.height);
    const change = this.camera.camera.aspect / before;
    this.materials.resize(this.height);
    this.invalidate();
    // A canvas that was resized is empty until it is drawn again: no flicker.
    if (this.frames > 0) this.draw(0);
    // A picture of quite another shape: nothing may be cut off, unless one has chosen what to see.
    const isOther = change > 1.4 || change < 0.7;
    if (isOther && this.frames > 0 && !this.camera.isHandled) this.fit(false);
  }

  /** A frame: let time pass; a picture only where something has changed. True: there is more to come. */
  private step(seconds: number): boolean {
    if (this.isImmersed) return false;
    if (this.studio.tick()) this.invalidate();
    if (this.camera.advance(seconds)) this.invalidate();
    if (this.pointing.fly.advance(this.camera, seconds)) this.invalidate();
    this.pointing.look();
    this.wall.lead();
    // a screen is nobody's head
    if (!this.wall.isWanted)
      this.studio.people.be(presenceOf(this, this.camera.camera, this.pointing.over));
    if (this.dirty.picture) this.draw(seconds);
    this.studio.wall.moments.drew();
    return this.studio.isMoving;
  }

  private draw(seconds: number, eyes?: Camera): void {
    this.dirty.picture = false;
    const isBuilt = this.dirty.model || this.dirty.shapes;
    if (this.dirty.paint) this.repaint();
    if (this.dirty.model || this.dirty.shapes) this.rebuild();
    const { poses, model } = this.studio;
    if (model && poses.length) this.links.update(poses);
    this.objects.update(this.studio.scene);
    if (isBuilt) this.arrangement.arrange(this.plane);
    this.pointing.show();
    for (const part of this.parts) part.frame?.(seconds);
    if (this.wall.isWanted) this.hideWindows();
    const camera = eyes ?? this.camera.camera;
    const { renderer, scene } = this.stage;
    if (!eyes && this.stereo.isOn) this.stereo.draw(renderer, scene);
    else renderer.render(scene, camera);
    if (!eyes) this.labels.update(camera, this.width, this.height);
    // What is not seen yet is compiled now: else the first grab and the first phantom would stall.
    if (this.frames === 0) setTimeout(() => this.stage.prepare(camera));
    this.frames += 1;
  }

  /** The heads of those who look through windows are at their cameras: before the viewer's eyes. */
  private hideWindows(): void {
    for (const [client, { person }] of this.studio.people.others) {
      const avatar = this.root.getObjectByName(`person ${client}`);
      if (avatar) avatar.visible = person.headset;
    }
  }

  private repaint(): void {
    this.dirty.paint = false;
    const { settings } = this.studio;
    this.palette = paletteFor(settings.theme);
    this.stage.paint(this.palette);
    this.floor.paint(this.palette);
    this.floor.show(settings.showGrid, settings.shadows && !this.stage.lowfx);
    this.materials.paint(this.palette, settings.renderMode);
    this.objects.build(this.studio.snapshot?.objects ?? [], this.palette);
    this.stage.shadows = settings.shadows && settings.renderMode === "solid";
    for (const part of this.parts) part.paint?.(this.palette);
    this.dirty.shapes = true;
  }

  private rebuild(): void {
    const { model } = this.studio;
    if (this.dirty.model) this.files.clear();
    const travels = model
      ? roomyTravels(model, model.forward(model.start()), model.lower, model.upper)
      : new Map<number, number>();
    this.links.build(model, travels, this.palette, this.dirty.model);
    this.links.mode = this.studio.settings.renderMode;
    const flat = model ? readSkeleton(model, travels).plane : null;
    this.plane = flat ? new Vector3(...flat.normal) : null;
    this.dirty.model = this.dirty.shapes = false;
    this.built = model;
    for (const part of this.parts) part.rebuild?.();
  }

  /** Meshes may be larger than what stood for them: all of them is shown, unless one looks elsewhere. */
  private meshesArrived(): void {
    const { arrangement } = this;
    if (!arrangement.isLeft || this.built !== this.studio.model) return;
    arrangement.arrange(this.plane);
    arrangement.show(arrangement.frame().cloud, false);
    this.invalidate();
  }
}
