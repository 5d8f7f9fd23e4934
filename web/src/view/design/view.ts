// Design by goal in the view: the wanted places, and the design that is looked at as a phantom whose
// tool draws its curve.
import { CatmullRomCurve3, type Mesh, Vector3 } from "three";
import type { PageModel } from "../../kernel/page-model.ts";
import type { DesignPreview, Place } from "../../store/design/data.ts";
import type { DesignHost } from "../../store/hosts.ts";
import { BoxFrame, Dots } from "../marks/dots.ts";
import { phantomMaterial } from "../ghosts.ts";
import { Links } from "../links/links.ts";
import type { MeshFiles } from "../links/meshes/files.ts";
import { Polyline } from "../overlays/marks.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { onPlane, worldRay } from "../pointing/rays.ts";

/** Time of one round of a phantom [s]. */
const ROUND = 4;

export class DesignView implements Part {
  private readonly line: Polyline;
  private readonly dots: Dots;
  private readonly trace: Polyline;
  private readonly box: BoxFrame;
  private readonly links: Links;
  private readonly material = phantomMaterial("#ffffff", 0.42);
  private model: PageModel | null = null;
  private source: DesignPreview | null = null;
  private drawn = "";
  private time = 0;

  constructor(
    private readonly context: ViewContext<
      DesignHost,
      "root" | "camera" | "materials" | "palette" | "aim" | "invalidate"
    >,
    files: MeshFiles,
  ) {
    const { root } = context;
    this.line = new Polyline(root, "#000", 1.5);
    this.trace = new Polyline(root, "#000", 3);
    this.line.line.visible = this.trace.line.visible = false;
    this.dots = new Dots(root, 1, 6);
    this.dots.size = 8;
    this.dots.solid = false;
    this.box = new BoxFrame(root);
    this.links = new Links(context.materials, files);
    // its parts do not shine through each other
    this.material.depthWrite = true;
    root.add(this.links.group);
    this.paint(context.palette);
  }

  paint(palette: Palette): void {
    this.line.color = palette.danger;
    this.dots.color = palette.danger;
    this.box.color = palette.danger;
    this.trace.color = palette.accent;
    this.material.color.set(palette.accent);
    this.context.invalidate();
  }

  rebuild(): void {
    this.drawn = "";
    this.source = null;
    this.build(null);
  }

  frame(seconds: number): void {
    const { designs } = this.context.studio;
    const { shown, goal, target, box } = designs;
    const key = JSON.stringify([shown, goal, goal === "follow" ? target : box, designs.edge]);
    if (key !== this.drawn) {
      this.drawn = key;
      this.drawTarget();
    }
    const { preview } = designs;
    if (preview !== this.source) {
      this.source = preview;
      this.build(preview);
    }
    if (!preview || !this.model) return;
    // one that is looked at moves; while the search runs the machine has better things to do
    this.time = designs.hovered ? (this.time + seconds / ROUND) % 1 : 0;
    const { motion } = preview;
    this.links.update(this.model.forward(motion[Math.floor(this.time * motion.length)]));
    if (designs.hovered) this.context.invalidate();
  }

  /** Takes a pointer that points at a place of the target. */
  pointed(event: PointerEvent): { move(): void; end(): void } | null {
    const { studio, camera, root } = this.context;
    const { designs } = studio;
    if (!designs.picking || event.button !== 0 || !designs.about) return null;
    const ray = worldRay(this.context.aim(event.clientX, event.clientY), root);
    const { flat, normal, at } = designs.about;
    // in space: in the plane that the eye looks at
    const facing = flat ? new Vector3(...normal) : camera.basis()[2];
    const place = onPlane(ray, at, facing);
    if (place) designs.addPoint(place.toArray());
    return { move: () => undefined, end: () => undefined };
  }

  places(): Vector3[] {
    const { shown, goal, target, preview } = this.context.studio.designs;
    const wanted = shown && goal === "follow" ? (target?.points ?? []) : [];
    const places = wanted.map((place) => new Vector3(...place));
    const reached = preview ? this.context.studio.designs.placesOf(preview) : [];
    places.push(...reached.map((place) => new Vector3(...place)));
    return places;
  }

  dispose(): void {
    this.dropModel();
    this.line.dispose();
    this.trace.dispose();
    this.dots.dispose();
    this.box.dispose();
    this.links.clear();
    this.links.group.removeFromParent();
    this.material.dispose();
  }

  private drawTarget(): void {
    const { shown, goal, target, box } = this.context.studio.designs;
    const points: Place[] = shown && goal === "follow" && target ? target.points : [];
    this.dots.set(new Float32Array(points.flat()));
    this.line.set(smooth(points, target?.closed ?? false));
    if (shown && goal === "cover" && box)
      this.box.set([box.x[0], box.y[0], box.z[0]], [box.x[1], box.y[1], box.z[1]]);
    else this.box.hide();
  }

  private build(preview: DesignPreview | null): void {
    this.dropModel();
    const { studio, palette } = this.context;
    this.model = preview && studio.designs.modelOf(preview);
    this.links.group.visible = this.model !== null;
    this.trace.line.visible = false;
    if (!preview || !this.model || preview.motion.length === 0) return;
    const { model } = this;
    this.links.build(model, new Map(), palette, true);
    for (const view of this.links.views) {
      view.edges.visible = view.loaded.visible = false;
      view.solid.castShadow = view.solid.receiveShadow = false;
      view.solid.raycast = () => undefined;
      (view.solid as Mesh).material = this.material;
      view.solid.renderOrder = 3;
      // the ground is there already
      view.group.visible = view.index > 0;
    }
    this.trace.set(studio.designs.traceOf(preview));
  }

  private dropModel(): void {
    this.model?.free();
    this.model = null;
  }
}

/** A smooth line through places. */
function smooth(places: readonly Place[], closed: boolean): readonly ArrayLike<number>[] {
  if (places.length < 3) return places;
  const curve = new CatmullRomCurve3(
    places.map((place) => new Vector3(...place)),
    closed,
  );
  return curve.getPoints(8 * places.length).map((place) => place.toArray());
}
