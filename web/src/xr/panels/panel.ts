// One panel in space: a mesh that shows rows, pressed by rays, carried by hands, pinned to the world.
import {
  CanvasTexture,
  LinearMipmapLinearFilter,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Ray,
  SRGBColorSpace,
  Vector3,
} from "three";
import type { Palette } from "../../view/links/palette.ts";
import { type Look, paint, signature } from "./paint.ts";
import { type Box, boxAt, type Layout, layOut, type Sheet, valueAt, WIDTH } from "./rows.ts";

/** How wide a panel is [m of the room]. */
export const WIDE = 0.42;
const PIXEL = WIDE / WIDTH;
/** What a panel shows is asked for again after so many frames. */
const EVERY = 6;

export class Panel {
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  /** In the room: middle of the panel, its face along z, its top along y. */
  readonly X_RP = new Matrix4();
  /** In the world, while it is pinned there. */
  X_WP: Matrix4 | null = null;
  readonly look: Look = { hover: null, pressed: null, isPinned: false };

  private readonly canvas = document.createElement("canvas");
  private texture: CanvasTexture | null = null;
  private sheet: Sheet = { title: "", rows: [] };
  private layout: Layout = layOut(this.sheet);
  private page = 0;
  /** What the picture was painted from. */
  private painted = "";
  private shown: Look = { ...this.look };
  private age = EVERY;

  constructor(
    readonly name: string,
    private readonly source: () => Sheet,
    /** Times the usual size. */
    readonly size = 1,
    /** Whether it can be closed and pinned. */
    private readonly isFree = true,
  ) {
    const material = new MeshBasicMaterial({ transparent: true, toneMapped: false });
    this.mesh = new Mesh(new PlaneGeometry(1, 1), material);
    this.mesh.matrixAutoUpdate = false;
    this.mesh.renderOrder = 20;
    this.mesh.raycast = () => undefined;
  }

  /** Height of the panel [m of the room]. */
  get height(): number {
    return this.layout.height * PIXEL * this.size;
  }

  /** Where a ray of the room meets its front: pixels of its picture, and the distance; null beside it. */
  meet(ray: Ray): { x: number; y: number; distance: number } | null {
    const X_PR = this.X_RP.clone().invert();
    const own = ray.clone().applyMatrix4(X_PR);
    if (own.origin.z <= 0 || own.direction.z >= -1e-6) return null;
    const t = -own.origin.z / own.direction.z;
    const at = own.at(t, new Vector3());
    const x = at.x / (PIXEL * this.size) + WIDTH / 2;
    const y = this.layout.height / 2 - at.y / (PIXEL * this.size);
    const isIn = x >= 0 && x <= WIDTH && y >= 0 && y <= this.layout.height;
    return isIn ? { x, y, distance: t } : null;
  }

  boxAt(x: number, y: number): Box | null {
    return boxAt(this.layout, x, y);
  }

  /** Where a thing that can be pressed is, by what it says: its middle in the room; null: not here. */
  placeOf(label: string): Vector3 | null {
    for (const box of this.layout.boxes) {
      const row = this.sheet.rows[box.row];
      const name =
        row?.kind === "buttons"
          ? row.items[box.item].label
          : row?.kind === "slider"
            ? row.label
            : box.kind;
      if (name !== label) continue;
      const scale = PIXEL * this.size;
      const x = (box.x + box.width / 2 - WIDTH / 2) * scale;
      const y = (this.layout.height / 2 - box.y - box.height / 2) * scale;
      return new Vector3(x, y, 0).applyMatrix4(this.X_RP);
    }
    return null;
  }

  /** Presses a button or moves a slider; `x`: where [px]. */
  press(box: Box, x: number): void {
    const row = this.sheet.rows[box.row];
    if (box.kind === "page") this.page = this.layout.page + box.item;
    else if (box.kind === "button" && row?.kind === "buttons") {
      const item = row.items[box.item];
      if (!item.isOff) item.run();
    } else this.slide(box, x);
    this.stale();
  }

  slide(box: Box, x: number): void {
    const row = this.sheet.rows[box.row];
    if (box.kind !== "slider" || row?.kind !== "slider") return;
    row.set(valueAt(row, box, x));
    this.stale();
  }

  commit(box: Box): void {
    const row = this.sheet.rows[box.row];
    if (box.kind === "slider" && row?.kind === "slider") row.commit();
  }

  /** What it shows is asked for again with the next frame. */
  stale(): void {
    this.age = EVERY;
  }

  /** Puts the mesh where the panel is, and paints what has changed. X_RW: the world in the room. */
  update(palette: Palette, X_RW: Matrix4): void {
    if (this.X_WP) this.X_RP.multiplyMatrices(X_RW, this.X_WP);
    this.age += 1;
    const isNew = this.age >= EVERY;
    if (isNew) {
      this.age = 0;
      this.sheet = this.source();
      this.layout = layOut(this.sheet, this.page, this.isFree);
      this.page = this.layout.page;
    }
    const { hover, pressed, isPinned } = this.look;
    const { shown } = this;
    const isSame =
      hover === shown.hover && pressed === shown.pressed && isPinned === shown.isPinned;
    this.shown = { hover, pressed, isPinned };
    if (isNew || !isSame) {
      const now = signature(this.sheet, this.layout, this.look, palette.dark);
      if (now !== this.painted) this.draw(palette);
      this.painted = now;
    }
    const { size } = this;
    const scale = new Vector3(WIDE * size, this.height, 1);
    this.mesh.matrix.copy(this.X_RP).scale(scale);
    this.mesh.matrixWorldNeedsUpdate = true;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.texture?.dispose();
  }

  private draw(palette: Palette): void {
    const height = Math.ceil(this.layout.height);
    if (this.canvas.height !== height || !this.texture) {
      [this.canvas.width, this.canvas.height] = [WIDTH, height];
      this.texture?.dispose();
      this.texture = new CanvasTexture(this.canvas);
      this.texture.colorSpace = SRGBColorSpace;
      this.texture.minFilter = LinearMipmapLinearFilter;
      this.texture.anisotropy = 4;
      this.mesh.material.map = this.texture;
      this.mesh.material.needsUpdate = true;
    }
    const context = this.canvas.getContext("2d");
    if (context) paint(context, this.sheet, this.layout, this.look, palette);
    this.texture.needsUpdate = true;
  }
}
