// The links of a mechanism: one solid and its edges each, in the pose they have now.
import {
  Box3,
  Group,
  LineSegments,
  type Material,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Vector3,
  type Object3D,
} from "three";
import {
  type Primitive,
  type ShapeModel,
  type Travels,
  linkShapes,
  withCouplings,
} from "../../shapes/index.ts";
import type { Emphasis, Materials, RenderMode } from "./materials.ts";
import { MeshBuilder } from "./meshes/builder.ts";
import type { MeshFiles } from "./meshes/files.ts";
import { type Palette, fillOf } from "./palette.ts";
import { poseMatrix } from "../spaces.ts";

export class LinkView {
  readonly group = new Group();
  readonly solid: Mesh;
  readonly edges: LineSegments;
  /** Mesh files of the link that have arrived. */
  readonly loaded = new Group();
  primitives: Primitive[] = [];
  private readonly shells: Mesh[] = [];
  private mode: RenderMode = "solid";
  private hard = 0;
  private hasOutlines = true;
  private allEdges = false;
  /** What it was built from, so that only what has changed is built again. */
  private key = "";

  constructor(
    readonly index: number,
    private readonly materials: Materials,
  ) {
    this.group.matrixAutoUpdate = false;
    this.solid = new Mesh(undefined, materials.solid.none);
    this.solid.castShadow = this.solid.receiveShadow = true;
    this.solid.userData.link = index;
    this.edges = new LineSegments(undefined, materials.edges.none);
    this.group.add(this.solid, this.edges, this.loaded);
  }

  /** Whether anything is to be seen of it. */
  get isEmpty(): boolean {
    return this.primitives.length === 0;
  }

  build(shapes: Primitive[], stand: Primitive[], palette: Palette, files: MeshFiles): void {
    const key = JSON.stringify(shapes) + palette.dark;
    if (key === this.key) return;
    this.key = key;
    this.primitives = shapes;
    this.loaded.clear();
    this.draw(shapes, palette);
    for (const shape of shapes) {
      if (shape.kind !== "mesh") continue;
      const known = files.known(shape.file);
      if (!known) this.draw(stand, palette);
      files.place(shape, this.index, fillOf(shape, palette), (object) => {
        if (this.key !== key) return;
        this.loaded.add(object);
        this.dress(this.mode);
        if (this.loaded.children.length === shapes.filter((s) => s.kind === "mesh").length)
          this.draw(shapes, palette);
      });
    }
  }

  /** Real edges only, or also outlines of what is round all over. */
  showEdges(all = this.allEdges): void {
    this.allEdges = all;
    this.edges.geometry.setDrawRange(0, all ? Infinity : this.hard);
  }

  /** Whether edges are drawn; a wireframe has nothing else. */
  set outlines(on: boolean) {
    this.hasOutlines = on;
    this.edges.visible = on || this.mode === "wireframe";
  }

  emphasise(emphasis: Emphasis): void {
    this.solid.material = this.materials.solid[emphasis];
    this.edges.material = this.materials.edges[emphasis];
    if (emphasis !== "selected") {
      for (const shell of this.shells.splice(0)) shell.removeFromParent();
    } else if (!this.shells.length) {
      const bodies: Mesh[] = [this.solid];
      this.loaded.traverse((part) => part instanceof Mesh && bodies.push(part));
      for (const body of bodies) {
        const shell = new Mesh(body.geometry, this.materials.outline);
        shell.raycast = () => undefined;
        (body === this.solid ? this.group : body).add(shell);
        this.shells.push(shell);
      }
    }
  }

  /** Mesh files as the render mode asks; what is built here shares materials that know it. */
  dress(mode: RenderMode): void {
    this.mode = mode;
    this.outlines = this.hasOutlines;
    this.loaded.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      for (const material of [part.material as Material | Material[]].flat()) {
        if (!(material instanceof MeshStandardMaterial)) continue;
        // glass of the file's own stays glass
        const own = (material.userData.opacity ??= material.opacity) as number;
        const glass = mode === "transparent" || own < 1;
        material.wireframe = mode === "wireframe";
        material.transparent = glass;
        material.opacity = mode === "transparent" ? 0.35 * own : own;
        material.depthWrite = !glass;
        material.needsUpdate = true;
      }
    });
  }

  dispose(): void {
    this.solid.geometry.dispose();
    this.edges.geometry.dispose();
  }

  private draw(shapes: Primitive[], palette: Palette): void {
    const builder = new MeshBuilder();
    // Every part is a little smaller than the one before: faces in one plane would flicker.
    shapes.forEach((shape, i) => {
      builder.shrink = 1 - 0.003 * (this.index % 6) - 0.0007 * (i % 4);
      builder.add(shape, fillOf(shape, palette));
    });
    this.dispose();
    this.solid.geometry = builder.solid();
    const edges = builder.edges();
    this.edges.geometry = edges.geometry;
    this.hard = edges.hard;
    this.showEdges();
    for (const shell of this.shells.splice(0)) shell.removeFromParent();
  }
}

export class Links {
  readonly group = new Group();
  views: LinkView[] = [];
  private hasOutlines = true;
  private readonly matrix = new Matrix4();

  constructor(
    private readonly materials: Materials,
    private readonly files: MeshFiles,
  ) {}

  /** Builds what has changed; all of it when the mechanism is another one. */
  build(model: ShapeModel | null, travels: Travels, palette: Palette, again: boolean): void {
    const count = model ? model.data.links.length : 0;
    if (again || count !== this.views.length) {
      this.clear();
      this.views = Array.from({ length: count }, (_, i) => new LinkView(i, this.materials));
      for (const view of this.views) {
        view.outlines = this.hasOutlines;
        this.group.add(view.group);
      }
    }
    if (!model) return;
    const drawn = model.data.drawn ?? [];
    const shapes = withCouplings(linkShapes(model, travels), drawn);
    const withMeshes = shapes.some((own) => own.some((shape) => shape.kind === "mesh"));
    const auto = withMeshes
      ? withCouplings(
          linkShapes(
            {
              ...model,
              data: { ...model.data, link_shapes: shapes.map(() => "auto") },
              transforms: model.transforms,
            },
            travels,
          ),
          drawn,
        )
      : shapes;
    this.views.forEach((view, i) => view.build(shapes[i], auto[i], palette, this.files));
  }

  /** Puts every link where it is now (poses: wxyz xyz each). */
  update(poses: ArrayLike<number>): void {
    this.views.forEach((view, i) => {
      poseMatrix(poses, i, this.matrix);
      if (view.group.matrix.equals(this.matrix)) return;
      view.group.matrix.copy(this.matrix);
      view.group.matrixWorldNeedsUpdate = true;
    });
  }

  /** As the render mode asks. */
  set mode(mode: RenderMode) {
    for (const view of this.views) {
      view.showEdges(mode === "wireframe");
      view.dress(mode);
    }
  }

  /** Whether edges are drawn over what is solid, also of links that are built later. */
  set outlines(on: boolean) {
    this.hasOutlines = on;
    for (const view of this.views) view.outlines = on;
  }

  /** What a pointer can touch. */
  get targets(): Object3D[] {
    return this.views.flatMap((view) => [view.solid, view.loaded]);
  }

  /** Places all over the links, in the world [m]: some of their corners. */
  cloud(of = this.views.map((view) => view.index)): Vector3[] {
    const points: Vector3[] = [];
    for (const view of of.map((index) => this.views[index])) {
      const place = view?.solid.geometry.getAttribute("position");
      if (!place) continue;
      for (let i = 0; i < place.count; i += 5)
        points.push(new Vector3().fromBufferAttribute(place, i).applyMatrix4(view.group.matrix));
      for (const mesh of view.loaded.children) {
        mesh.updateWorldMatrix(true, true); // it may not have been drawn yet
        const box = new Box3().setFromObject(mesh);
        if (!box.isEmpty()) points.push(...corners(box, this.group));
      }
    }
    return points;
  }

  clear(): void {
    for (const view of this.views) view.dispose();
    this.group.clear();
    this.views = [];
  }
}

/** Corners of a box of three.js, in the world. */
function corners(box: Box3, root: Group): Vector3[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
    root.worldToLocal(
      new Vector3(
        i & 1 ? box.max.x : box.min.x,
        i & 2 ? box.max.y : box.min.y,
        i & 4 ? box.max.z : box.min.z,
      ),
    ),
  );
}
