// Phantoms: translucent copies of the mechanism in other poses, with names; a click goes there.
import {
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  PlaneGeometry,
} from "three";
import type { ModelHost, SingularHost } from "../store/hosts.ts";
import type { Ghost } from "../store/types.ts";
import type { Label } from "./labels/labels.ts";
import { type Palette, branchColor } from "./links/palette.ts";
import type { Part, ViewContext } from "./part.ts";
import { type Aim, castRay } from "./pointing/rays.ts";
import { poseMatrix } from "./spaces.ts";

/** How dense they are: the singular pose, one beyond, one that a click would take. */
const SINGULAR = 0.36;
const BRANCH = 0.3;
const HOVERED = 0.55;

/** A copy of all links in one pose. */
export class Phantom {
  readonly group = new Group();
  private readonly matrix = new Matrix4();

  constructor(
    private readonly context: ViewContext<ModelHost, "root" | "links" | "extent">,
    readonly material: MeshStandardMaterial,
  ) {
    for (const view of context.links.views) {
      const mesh = new Mesh(view.solid.geometry, material);
      mesh.matrixAutoUpdate = false;
      mesh.renderOrder = 3;
      // Mesh files stand for themselves here too.
      for (const file of view.loaded.children) mesh.add(file.clone());
      mesh.traverse((part) => {
        if (part instanceof Mesh) part.material = material;
        part.userData = { phantom: this };
      });
      this.group.add(mesh);
    }
    context.root.add(this.group);
  }

  /** Stands in a pose; the geometries are those of the links as they are now. */
  pose(q: Float64Array): Float64Array {
    const poses = this.context.studio.must().forward(q);
    this.group.children.forEach((mesh, i) => {
      const view = this.context.links.views[i];
      (mesh as Mesh).geometry = view.solid.geometry;
      poseMatrix(poses, i, this.matrix);
      // What does not move would only blur the real one.
      mesh.visible = i > 0 && !isSame(this.matrix, view.group.matrix, this.context.extent);
      mesh.matrix.copy(this.matrix);
      mesh.matrixWorldNeedsUpdate = true;
    });
    return poses;
  }

  dispose(): void {
    this.group.removeFromParent();
    this.material.dispose();
  }
}

export function phantomMaterial(color: string, opacity = 0.3): MeshStandardMaterial {
  return new MeshStandardMaterial({
    color,
    transparent: true,
    opacity,
    roughness: 0.4,
    depthWrite: false,
    side: DoubleSide,
    // Where it lies in a real link, the link is seen.
    polygonOffset: true,
    polygonOffsetFactor: 2,
    polygonOffsetUnits: 8,
  });
}

/** Whether two places of a link look the same: within a degree and a hundredth of the mechanism. */
export function isSame(a: Matrix4, b: Matrix4, extent: number): boolean {
  return a.elements.every(
    (x, i) => Math.abs(x - b.elements[i]) <= (i < 12 ? 0.018 : 0.01 * extent),
  );
}

export class Ghosts implements Part {
  private shown: { ghost: Ghost; phantom: Phantom; label: Label }[] = [];
  private source: readonly Ghost[] = [];
  /** Never seen: with it phantoms are compiled at the start, and not when the first one appears. */
  private readonly first = new Mesh(new PlaneGeometry(), phantomMaterial("#ffffff"));
  private over: Phantom | null = null;

  constructor(
    private readonly context: ViewContext<
      ModelHost & SingularHost,
      "root" | "links" | "labels" | "palette" | "extent" | "invalidate"
    >,
  ) {
    this.first.visible = false;
    context.root.add(this.first);
  }

  paint(palette: Palette): void {
    for (const { ghost, phantom, label } of this.shown) {
      phantom.material.color.set(colorOf(ghost, palette));
      if (ghost.branch !== null) label.color = colorOf(ghost, palette);
    }
  }

  rebuild(): void {
    this.clear();
  }

  frame(): void {
    const { studio, palette } = this.context;
    if (studio.ghosts === this.source && this.shown.length === this.source.length) return;
    this.clear();
    this.source = studio.ghosts;
    if (!studio.model) return;
    for (const ghost of this.source) {
      const isChoice = ghost.branch !== null;
      const phantom = new Phantom(
        this.context,
        phantomMaterial(colorOf(ghost, palette), isChoice ? BRANCH : SINGULAR),
      );
      const poses = phantom.pose(ghost.q);
      const cross = () => this.choose(ghost);
      const at = this.place(poses);
      const label = this.context.labels.add(
        isChoice ? "choice" : "note",
        // What it means is said beside the choices.
        isChoice ? ghost.label : "singular pose",
        at,
        isChoice ? cross : undefined,
      );
      if (isChoice) label.color = colorOf(ghost, palette);
      this.shown.push({ ghost, phantom, label });
    }
  }

  /** Shows that the phantom under the pointer can be taken; false: there is none. */
  hover(aim: Aim | null): boolean {
    return this.light(aim && this.shown.length ? this.pick(aim) : null);
  }

  /** Shows which phantom can be taken; false: none. */
  light(ghost: Ghost | null): boolean {
    const over = this.shown.find((one) => one.ghost === ghost)?.phantom ?? null;
    if (over !== this.over) {
      if (this.over) this.over.material.opacity = BRANCH;
      if (over) over.material.opacity = HOVERED;
      this.over = over;
      this.context.invalidate();
    }
    return over !== null;
  }

  /** The phantom under a place of the picture whose branch can be taken. */
  pick(aim: Aim): Ghost | null {
    return this.ghostOf(castRay(aim, this.context.root, this.bodies())?.object);
  }

  /** The phantom of those whose branch can be taken to which the body belongs that is found. */
  among(find: (bodies: Object3D[]) => Object3D | undefined): Ghost | null {
    return this.shown.length ? this.ghostOf(find(this.bodies())) : null;
  }

  /** Takes the branch of a phantom. */
  choose(ghost: Ghost): void {
    if (ghost.branch !== null) this.context.studio.singularity.cross(ghost.branch);
    this.context.invalidate();
  }

  dispose(): void {
    this.clear();
    this.first.removeFromParent();
    this.first.geometry.dispose();
    this.first.material.dispose();
  }

  /** What can be touched of those that can be taken. */
  private bodies(): Object3D[] {
    return this.shown
      .filter(({ ghost }) => ghost.branch !== null)
      .flatMap(({ phantom }) => phantom.group.children.filter((mesh) => mesh.visible));
  }

  private ghostOf(body: Object3D | undefined): Ghost | null {
    const phantom = body?.userData.phantom as Phantom | undefined;
    return this.shown.find((one) => one.phantom === phantom)?.ghost ?? null;
  }

  private clear(): void {
    this.over = null;
    for (const { phantom, label } of this.shown) {
      phantom.dispose();
      label.remove();
    }
    this.shown = [];
    this.source = [];
  }

  /** Where the phantom differs most from the mechanism: there its name is read. */
  private place(poses: Float64Array): [number, number, number] {
    const { studio } = this.context;
    let [best, far] = [0, -1];
    for (let i = 0; i < poses.length / 7; i++) {
      const way = [4, 5, 6].map((k) => poses[7 * i + k] - studio.poses[7 * i + k]);
      const distance = Math.hypot(...way);
      if (distance > far) [best, far] = [i, distance];
    }
    return [poses[7 * best + 4], poses[7 * best + 5], poses[7 * best + 6]];
  }
}

function colorOf(ghost: Ghost, palette: Palette): string {
  if (ghost.branch === null) return palette.danger;
  return branchColor(ghost.branch, palette);
}
