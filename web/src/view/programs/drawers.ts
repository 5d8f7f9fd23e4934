// How each kind of a program's items is drawn.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  type Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Vector3,
} from "three";
import type { ProgramHost } from "../../store/hosts.ts";
import { type Drawn, keyOf, type ShownItem } from "../../store/programs/programs.ts";
import type { ArrowItem, LabelItem, LineItem, MeshItem, PointsItem } from "../../wire/messages.ts";
import { Dots } from "../marks/dots.ts";
import { Arrow } from "../forces/arrow.ts";
import type { Label } from "../labels/labels.ts";
import { Polyline } from "../overlays/marks.ts";
import type { Pieces, ViewContext } from "../part.ts";
import { floats, whole } from "../../wire/packed.ts";

/** Draws one item. */
export interface ItemDrawer {
  /** The item is new or has changed. */
  show(item: Drawn, color: string): void;
  /** Before a picture: where its frame is, null where there is none; the mechanism's radius [m]. */
  place(pose: Matrix4 | null, extent: number): void;
  dispose(): void;
}

class ArrowDrawer implements ItemDrawer {
  private readonly material = new MeshBasicMaterial({ toneMapped: false, depthTest: false });
  private readonly arrow: Arrow;
  private readonly label: Label;
  private item: ArrowItem | null = null;

  constructor(private readonly context: Pick<Pieces, "root" | "labels" | "invalidate">) {
    this.material.transparent = true;
    this.arrow = new Arrow(context.root, this.material);
    this.label = context.labels.add("note");
  }
  show(item: Drawn, color: string): void {
    this.item = item as ArrowItem;
    this.material.color.set(color);
  }
  place(pose: Matrix4 | null, extent: number): void {
    const { item } = this;
    this.label.visible = pose !== null;
    if (!pose || !item) return this.arrow.hide();
    const from = new Vector3(...item.start).applyMatrix4(pose);
    const tip = new Vector3(...item.start).add(new Vector3(...item.vector)).applyMatrix4(pose);
    const way = tip.clone().sub(from);
    this.arrow.show(from, way, way.length(), 0.012 * extent);
    this.label.text = item.label;
    this.label.at = tip.toArray();
  }
  dispose(): void {
    this.arrow.remove();
    this.label.remove();
    this.material.dispose();
    this.context.invalidate();
  }
}

class PointsDrawer implements ItemDrawer {
  private readonly group = new Group();
  private readonly dots: Dots;

  constructor(context: Pick<Pieces, "root">) {
    this.group.matrixAutoUpdate = false;
    context.root.add(this.group);
    this.dots = new Dots(this.group, 1, 6);
  }
  show(item: Drawn, color: string): void {
    const { places, colors, size } = item as PointsItem;
    this.dots.color = colors ? "#ffffff" : color;
    this.dots.size = size || 5;
    this.dots.set(floats(places), colors ? floats(colors) : null);
  }
  place(pose: Matrix4 | null): void {
    put(this.group, pose);
  }
  dispose(): void {
    this.dots.dispose();
    this.group.removeFromParent();
  }
}

class LineDrawer implements ItemDrawer {
  private readonly group = new Group();
  private line: Polyline | null = null;

  constructor(context: Pick<Pieces, "root">) {
    this.group.matrixAutoUpdate = false;
    context.root.add(this.group);
  }
  show(item: Drawn, color: string): void {
    const { places, width } = item as LineItem;
    this.line?.dispose();
    this.line = new Polyline(this.group, color, width || 2.5);
    const xyz = floats(places);
    this.line.set(Array.from({ length: xyz.length / 3 }, (_, i) => xyz.subarray(3 * i, 3 * i + 3)));
  }
  place(pose: Matrix4 | null): void {
    put(this.group, pose);
  }
  dispose(): void {
    this.line?.dispose();
    this.group.removeFromParent();
  }
}

class MeshDrawer implements ItemDrawer {
  private readonly material = new MeshStandardMaterial({ roughness: 0.6, side: DoubleSide });
  private readonly mesh = new Mesh(new BufferGeometry(), this.material);

  constructor(context: Pick<Pieces, "root">) {
    this.mesh.matrixAutoUpdate = false;
    this.mesh.raycast = () => undefined;
    context.root.add(this.mesh);
  }
  show(item: Drawn, color: string): void {
    const { places, triangles, opacity } = item as MeshItem;
    this.mesh.geometry.dispose();
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(floats(places), 3));
    geometry.setIndex(new BufferAttribute(whole(triangles), 1));
    geometry.computeVertexNormals();
    this.mesh.geometry = geometry;
    this.material.color.set(color);
    this.material.opacity = opacity;
    this.material.transparent = opacity < 1;
    this.material.depthWrite = opacity >= 1;
    this.material.needsUpdate = true;
  }
  place(pose: Matrix4 | null): void {
    put(this.mesh, pose);
  }
  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.mesh.removeFromParent();
  }
}

class LabelDrawer implements ItemDrawer {
  private readonly label: Label;
  private item: LabelItem | null = null;

  constructor(private readonly context: Pick<Pieces, "labels" | "invalidate">) {
    this.label = context.labels.add("note");
  }
  show(item: Drawn): void {
    this.item = item as LabelItem;
  }
  place(pose: Matrix4 | null): void {
    const { item, label } = this;
    label.visible = pose !== null;
    if (!pose || !item) return;
    label.text = item.text;
    label.at = new Vector3(...item.place).applyMatrix4(pose).toArray();
  }
  dispose(): void {
    this.label.remove();
    this.context.invalidate();
  }
}

class TraceDrawer implements ItemDrawer {
  private readonly line: Polyline;
  private readonly key: string;
  private drawn = "";

  constructor(
    private readonly context: ViewContext<ProgramHost, "root" | "palette">,
    shown: ShownItem<Drawn>,
  ) {
    this.key = keyOf(shown);
    this.line = new Polyline(context.root, context.palette.accent, 2.5);
  }
  show(_: Drawn, color: string): void {
    this.line.color = color;
  }
  place(): void {
    const points = this.context.studio.programs.trace(this.key);
    // old points are removed where new ones are added: the last one says whether it is the same
    const now = `${points.length} ${points[points.length - 1]?.join() ?? ""}`;
    if (now === this.drawn) return;
    this.drawn = now;
    this.line.set(points);
  }
  dispose(): void {
    this.line.dispose();
  }
}

function put(body: Group | Mesh, pose: Matrix4 | null): void {
  body.visible = pose !== null;
  if (pose) body.matrix.copy(pose);
}

export type DrawerContext = ViewContext<ProgramHost, "root" | "labels" | "palette" | "invalidate">;

const DRAWERS: Record<
  Drawn["kind"],
  new (context: DrawerContext, shown: ShownItem<Drawn>) => ItemDrawer
> = {
  arrow: ArrowDrawer,
  points: PointsDrawer,
  line: LineDrawer,
  mesh: MeshDrawer,
  label: LabelDrawer,
  trace: TraceDrawer,
};

export const drawerOf = (shown: ShownItem<Drawn>, context: DrawerContext): ItemDrawer =>
  new DRAWERS[shown.data.kind](context, shown);
