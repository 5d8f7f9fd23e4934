// Points in the view: the arrays of a PointSet as they are, sent on as they fill.
import { BufferAttribute, BufferGeometry, type Group, Points } from "three";
import type { PointSet } from "../../store/workspace/points.ts";
import { PointMaterial } from "./point-material.ts";

export class PointCloud {
  readonly material = new PointMaterial();
  readonly object: Points<BufferGeometry, PointMaterial>;
  private generation = -1;
  private revision = -1;
  private count = 0;

  constructor(
    root: Group,
    readonly set: PointSet,
    order: number,
  ) {
    this.object = new Points(new BufferGeometry(), this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = order;
    this.object.raycast = () => undefined;
    this.object.visible = false;
    root.add(this.object);
  }

  /** Takes over what has come since; draws at most so many of the points. */
  update(most: number): void {
    const { set } = this;
    if (set.generation !== this.generation) this.rebuild();
    if (set.count !== this.count || set.revision !== this.revision) this.send();
    this.object.geometry.setDrawRange(0, Math.min(set.count, most));
  }

  dispose(): void {
    this.object.removeFromParent();
    this.object.geometry.dispose();
    this.material.dispose();
  }

  private rebuild(): void {
    const { set } = this;
    this.generation = set.generation;
    this.count = 0;
    this.revision = set.revision;
    this.object.geometry.dispose();
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(set.xyz, 3));
    geometry.setAttribute("group", new BufferAttribute(set.groups, 1));
    geometry.setAttribute("value", new BufferAttribute(set.values, 1));
    this.object.geometry = geometry;
  }

  private send(): void {
    const { set } = this;
    const from = this.revision === set.revision ? this.count : 0;
    this.count = set.count;
    this.revision = set.revision;
    for (const name of ["position", "group", "value"]) {
      const attribute = this.object.geometry.getAttribute(name) as BufferAttribute;
      const { itemSize } = attribute;
      attribute.addUpdateRange(from * itemSize, (set.count - from) * itemSize);
      attribute.needsUpdate = true;
    }
  }
}
