// Free objects of the scene: boxes, balls, cylinders and meshes that stand around.
import { Group, Mesh, MeshStandardMaterial, Vector3 } from "three";
import { shapesFromSpec } from "../../shapes/index.ts";
import type { Scene } from "../../store/scene.ts";
import type { ObjectData } from "../../wire/messages.ts";
import type { Materials } from "../links/materials.ts";
import { MeshBuilder } from "../links/meshes/builder.ts";
import { emptyBox, type MeshFiles } from "../links/meshes/files.ts";
import { type Palette, fileColor } from "../links/palette.ts";
import { poseMatrix } from "../spaces.ts";

/** Edge of what stands for a mesh that cannot be shown [m]. */
const PLACEHOLDER = 0.1;

export class SceneObjects {
  readonly group = new Group();
  private readonly material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.6 });
  private readonly alarmed = new MeshStandardMaterial({ color: "#ff4d3d", roughness: 0.6 });
  private key = "";
  private hit = -1;
  /** Names of those that something touches. */
  private lit: ReadonlySet<string> = new Set();

  constructor(private readonly files: MeshFiles) {}

  build(objects: readonly ObjectData[], palette: Palette): void {
    const key = JSON.stringify(objects) + palette.dark;
    if (key === this.key) return;
    this.key = key;
    this.hit = -1;
    this.lit = new Set();
    this.clear();
    objects.forEach((object, index) => {
      const fill = (object.color && fileColor(object.color)) || palette.platform;
      const body = new Group();
      body.name = object.name;
      body.matrixAutoUpdate = false;
      poseMatrix(object.pose, 0, body.matrix);
      const builder = new MeshBuilder();
      for (const shape of shapesFromSpec(object.shape, [])) {
        if (shape.kind === "mesh")
          this.files.place(
            shape,
            -1,
            fill,
            (mesh) => {
              mesh.traverse((part) => (part.userData = { object: index }));
              body.add(mesh);
            },
            () => body.add(emptyBox(PLACEHOLDER, palette.danger)),
          );
        else builder.add(shape, fill);
      }
      const solid = new Mesh(builder.solid(), this.material);
      solid.castShadow = solid.receiveShadow = true;
      solid.userData.object = index;
      body.add(solid);
      this.group.add(body);
    });
  }

  /** Puts every object where it is now. */
  update(scene: Scene): void {
    for (const body of this.group.children) {
      const pose = scene.pose(body.name);
      if (pose === null) continue;
      poseMatrix(pose, 0, body.matrix);
      body.matrixWorldNeedsUpdate = true;
    }
  }

  /** Outlines the chosen object, -1 for none. */
  emphasise(chosen: number, materials: Materials): void {
    this.group.children.forEach((body, index) => {
      const shells = body.children.filter((part) => part.userData.shell);
      const solid = body.children.find((part): part is Mesh => part instanceof Mesh);
      if (index === chosen && !shells.length && solid) {
        const shell = new Mesh(solid.geometry, materials.outline);
        shell.userData.shell = true;
        shell.raycast = () => undefined;
        body.add(shell);
      } else if (index !== chosen && shells.length) body.remove(...shells);
    });
  }

  /** Shows that the mechanism is in an object, -1 for none. */
  alarm(index: number): void {
    if (index === this.hit) return;
    this.hit = index;
    this.paint();
  }

  /** Shows which objects, by name, something touches. */
  light(names: ReadonlySet<string>): void {
    const found = this.group.children.map(({ name }) => name).filter((name) => names.has(name));
    if (found.length === this.lit.size && found.every((name) => this.lit.has(name))) return;
    this.lit = new Set(found);
    this.paint();
  }

  private paint(): void {
    this.group.children.forEach((body, i) => {
      const isAlarmed = i === this.hit || this.lit.has(body.name);
      for (const part of body.children)
        if (part instanceof Mesh && !part.userData.shell)
          part.material = isAlarmed ? this.alarmed : this.material;
    });
  }

  /** Corners of the boxes around all objects, in the world [m]. */
  cloud(): Vector3[] {
    return this.group.children.flatMap((body) => {
      const solid = body.children.find((part): part is Mesh => part instanceof Mesh);
      if (!solid?.geometry.index?.count) return [];
      solid.geometry.computeBoundingBox();
      const { min, max } = solid.geometry.boundingBox!;
      return [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
        new Vector3(
          i & 1 ? max.x : min.x,
          i & 2 ? max.y : min.y,
          i & 4 ? max.z : min.z,
        ).applyMatrix4(body.matrix),
      );
    });
  }

  clear(): void {
    this.group.traverse((part) => {
      if (part instanceof Mesh) part.geometry.dispose();
    });
    this.group.clear();
  }
}
