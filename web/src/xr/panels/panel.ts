// One panel in space: a mesh that shows rows, pressed by rays, carried by hands, pinned to the world.
import {
  CanvasTexture,
  LinearMipmapLinearFilter,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Quaternion,
  Ray,
  SRGBColorSpace,
  Vector3,
} from "three";
import type { Palette } from "../../view/links/palette.ts";
import { type Look, PAGES, paint, signature } from "./paint.ts";
import { type Box, boxAt, type Layout, layOut, type Sheet, valueAt, WIDTH } from "./rows.ts";

/** How wide a panel is [m of the room]. */
export const WIDE = 0.42;
const PIXEL = WIDE / WIDTH;
/** What a panel shows is asked for again after so long, and while it is pressed [ms]. */
const EVERY = 250;
const PRESSED = 45;

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
  /** Whether the picture may be out of date. */
  private isStale = true;
  private shown: Look = { ...this.look };
  /** The height for which it stands where it does [m], and the edge that stays there. */
  private known = 0;
  private edge = 0;
  /** When it was last asked for [ms]. */
  private asked = -Infinity;
  /** How often it was painted: each time is an upload to the graphics card. */
  paints = 0;

  constructor(
    readonly name: string,
    private readonly source: () => Sheet,
    /** Times the usual size. */
    readonly size = 1,
  ) {
    const material = new MeshBasicMaterial({ transparent: true, toneMapped: false });
    this.mesh = new Mesh(new PlaneGeometry(1, 1), material);
    this.mesh.matrixAutoUpdate = false;
    this.mesh.renderOrder = 20;
    this.mesh.raycast = () => undefined;
  }

  /**
   * Puts it somewhere.
   *
   * @param height The height that it has room for there [m].
   * @param edge The edge that stays there when its height changes: top 1, bottom −1; 0: its middle.
   */
  stand(X_RP: Matrix4, height: number, edge: number): void {
    this.X_RP.copy(X_RP);
    [this.known, this.edge] = [height, edge];
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
            : box.kind === "page"
              ? PAGES[box.item < 0 ? 0 : 1]
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
  }

  commit(box: Box): void {
    const row = this.sheet.rows[box.row];
    if (box.kind === "slider" && row?.kind === "slider") row.commit();
  }

  /** What it shows is asked for again with the next frame. */
  stale(): void {
    this.asked = -Infinity;
  }

  /**
   * Puts the mesh where the panel is, and paints it where something has changed and it may.
   *
   * @param X_RW The world in the room.
   * @param now [ms]
   * @returns Whether it was painted.
   */
  update(palette: Palette, X_RW: Matrix4, now: number, mayPaint = true): boolean {
    if (this.X_WP) this.follow(X_RW, this.X_WP);
    if (now - this.asked >= (this.look.pressed ? PRESSED : EVERY)) {
      this.asked = now;
      this.sheet = this.source();
      this.layout = layOut(this.sheet, this.page);
      this.page = this.layout.page;
      this.isStale = true;
      this.keepEdge(X_RW);
    }
    const { hover, pressed, isPinned } = this.look;
    const { shown } = this;
    if (hover !== shown.hover || pressed !== shown.pressed || isPinned !== shown.isPinned)
      this.isStale = true;
    this.shown = { hover, pressed, isPinned };
    const isPainted = this.isStale && mayPaint && this.draw(palette);
    if (mayPaint) this.isStale = false;
    this.mesh.matrix.copy(this.X_RP).scale(new Vector3(WIDE * this.size, this.height, 1));
    this.mesh.matrixWorldNeedsUpdate = true;
    return isPainted;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.texture?.dispose();
  }

  private keepEdge(X_RW: Matrix4): void {
    const rise = (this.edge * (this.known - this.height)) / 2;
    this.known = this.height;
    if (rise === 0) return;
    this.X_RP.multiply(new Matrix4().makeTranslation(0, rise, 0));
    this.X_WP?.copy(X_RW).invert().multiply(this.X_RP);
  }

  /** A pinned panel has its place and turn from the world, but keeps its size. */
  private follow(X_RW: Matrix4, X_WP: Matrix4): void {
    const [at, turn] = [new Vector3(), new Quaternion()];
    this.X_RP.multiplyMatrices(X_RW, X_WP).decompose(at, turn, new Vector3());
    this.X_RP.compose(at, turn, new Vector3(1, 1, 1));
  }

  /** Paints what is new; false where the picture would be the same. */
  private draw(palette: Palette): boolean {
    const now = signature(this.sheet, this.layout, this.look, palette.dark);
    if (now === this.painted) return false;
    this.painted = now;
    this.paints += 1;
    const height = Math.ceil(this.layout.height);
    if (this.canvas.height !== height || !this.texture) {
      [this.canvas.width, this.canvas.height] = [WIDTH, height];
      const isFirst = this.texture === null;
      this.texture?.dispose();
      this.texture = new CanvasTexture(this.canvas);
      this.texture.colorSpace = SRGBColorSpace;
      this.texture.minFilter = LinearMipmapLinearFilter;
      this.texture.anisotropy = 4;
      this.mesh.material.map = this.texture;
      if (isFirst) this.mesh.material.needsUpdate = true;
    }
    const context = this.canvas.getContext("2d");
    if (context) paint(context, this.sheet, this.layout, this.look, palette);
    this.texture.needsUpdate = true;
    return true;
  }
}
