// Phantoms: translucent copies of the mechanism in other poses, with names; a click goes there.
import { DoubleSide, Group, Matrix4, Mesh, MeshStandardMaterial, type Vector2 } from "three";
import type { Ghost } from "../store/types.ts";
import type { Label } from "./labels.ts";
import { mixed, type Palette } from "./palette.ts";
import type { Part, ViewContext } from "./part.ts";
import { castRay } from "./rays.ts";
import { poseMatrix } from "./spaces.ts";

/** A copy of all links in one pose. */
export class Phantom {
  readonly group = new Group();
  private readonly matrix = new Matrix4();

  constructor(
    private readonly context: ViewContext,
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
    const { model } = this.context.studio;
    const poses = model!.forward(q);
    this.group.children.forEach((mesh, i) => {
      const view = this.context.links.views[i];
      (mesh as Mesh).geometry = view.solid.geometry;
      poseMatrix(poses, i, this.matrix);
      // What does not move would only blur the real one.
      mesh.visible = i > 0 && !nearly(this.matrix, view.group.matrix, 1e-4 * this.context.extent);
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
  });
}

function nearly(a: Matrix4, b: Matrix4, tolerance: number): boolean {
  return a.elements.every((x, i) => Math.abs(x - b.elements[i]) <= (i < 12 ? 1e-4 : tolerance));
}

export class Ghosts implements Part {
  private shown: { ghost: Ghost; phantom: Phantom; label: Label }[] = [];
  private source: readonly Ghost[] = [];

  constructor(private readonly context: ViewContext) {}

  paint(palette: Palette): void {
    for (const { ghost, phantom } of this.shown)
      phantom.material.color.set(colorOf(ghost, palette));
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
      const isChoice = ghost.side !== null;
      const phantom = new Phantom(
        this.context,
        phantomMaterial(colorOf(ghost, palette), isChoice ? 0.26 : 0.36),
      );
      const poses = phantom.pose(ghost.q);
      const cross = () => this.choose(ghost);
      const at = this.place(poses);
      const label = this.context.labels.add(
        isChoice ? "choice" : "note",
        ghost.label,
        at,
        isChoice ? cross : undefined,
      );
      this.shown.push({ ghost, phantom, label });
    }
  }

  /** The phantom under a pixel (-1…1) whose side can be taken. */
  pick(clip: Vector2): Ghost | null {
    const sides = this.shown.filter(({ ghost }) => ghost.side !== null);
    const bodies = sides.flatMap(({ phantom }) => phantom.group.children.filter((m) => m.visible));
    const { camera, root } = this.context;
    const found = castRay(clip, camera.camera, root, bodies);
    const body = found?.object.userData.phantom as Phantom | undefined;
    return sides.find(({ phantom }) => phantom === body)?.ghost ?? null;
  }

  /** Takes the side of a phantom. */
  choose(ghost: Ghost): void {
    if (ghost.side !== null) this.context.studio.companion.cross(ghost.side);
    this.context.invalidate();
  }

  dispose(): void {
    this.clear();
  }

  private clear(): void {
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
  if (ghost.side === null) return palette.danger;
  return mixed(palette.accent, palette.platform, ghost.side % 2 ? 0.45 : 0);
}
