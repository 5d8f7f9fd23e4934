// Skins over links and objects: a colour that says something, over the colour that they have.
import { type Color, Group, Mesh, MeshBasicMaterial, type Object3D } from "three";

/** A coloured skin over all meshes of a body. */
export class Skin {
  readonly material = new MeshBasicMaterial({ transparent: true, opacity: 0.72 });
  private readonly group = new Group();
  /** The meshes that it covers. */
  private covered: Mesh[] = [];

  constructor(private readonly body: Object3D) {
    this.material.polygonOffset = true;
    this.material.polygonOffsetFactor = this.material.polygonOffsetUnits = -1;
    this.group.userData.skin = true;
  }

  /** Shows a colour; null: none. */
  paint(color: Color | null): void {
    this.group.visible = color !== null;
    if (color === null) return;
    this.material.color.copy(color);
    this.cover();
  }

  dispose(): void {
    this.clear();
    this.material.dispose();
  }

  /** Meshes come late, and geometries are built again. */
  private cover(): void {
    const found: Mesh[] = [];
    const look = (part: Object3D): void => {
      if (part.userData.skin || part.userData.shell) return;
      if (part instanceof Mesh && part.visible) found.push(part);
      part.children.forEach(look);
    };
    look(this.body);
    const isSame =
      found.length === this.covered.length &&
      found.every((mesh, i) => {
        const skin = this.group.children[i] as Mesh;
        return mesh === this.covered[i] && skin.geometry === mesh.geometry;
      });
    if (isSame) return;
    this.clear();
    this.covered = found;
    this.body.add(this.group);
    for (const mesh of found) {
      const skin = new Mesh(mesh.geometry, this.material);
      skin.userData.skin = true;
      skin.raycast = () => undefined;
      skin.renderOrder = 2;
      skin.matrixAutoUpdate = false;
      // where the mesh is in the body
      for (let part: Object3D | null = mesh; part && part !== this.body; part = part.parent) {
        if (part.matrixAutoUpdate) part.updateMatrix();
        skin.matrix.premultiply(part.matrix);
      }
      this.group.add(skin);
    }
  }

  private clear(): void {
    this.group.removeFromParent();
    this.group.clear();
    this.covered = [];
  }
}
