// What Python programs draw into the view: arrows, points, lines, surfaces, labels, traces.
import { Matrix4 } from "three";
import type { ModelHost } from "../../store/hosts.ts";
import { type Drawn, keyOf, type ShownItem } from "../../store/programs/programs.ts";
import { fileColor } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { poseMatrix } from "../spaces.ts";
import { type DrawerContext, drawerOf, type ItemDrawer } from "./drawers.ts";

interface Entry {
  shown: ShownItem<Drawn>;
  drawer: ItemDrawer;
  color: string;
}

const WORLD = new Matrix4();

export class ProgramItems implements Part {
  private readonly entries = new Map<string, Entry>();
  private readonly endings: (() => void)[];
  private isStale = true;
  private readonly matrix = new Matrix4();

  constructor(private readonly context: DrawerContext & ViewContext<ModelHost, "extent">) {
    const { studio } = context;
    this.endings = [studio.on("programs", () => (this.isStale = true))];
  }

  paint(): void {
    this.isStale = true;
  }

  rebuild(): void {
    this.isStale = true;
  }

  frame(): void {
    if (this.isStale) this.follow();
    for (const { shown, drawer } of this.entries.values()) {
      const pose = this.poseOf(shown.data.frame);
      drawer.place(pose, this.context.extent);
    }
  }

  dispose(): void {
    for (const end of this.endings) end();
    for (const { drawer } of this.entries.values()) drawer.dispose();
    this.entries.clear();
  }

  /** One drawer for every item; those that have changed show it. */
  private follow(): void {
    this.isStale = false;
    const { studio, palette } = this.context;
    const items = new Map(studio.programs.drawn.map((one) => [keyOf(one), one]));
    for (const [key, entry] of this.entries) {
      const now = items.get(key);
      if (now?.data.kind === entry.shown.data.kind) continue;
      entry.drawer.dispose();
      this.entries.delete(key);
    }
    for (const [key, shown] of items) {
      const color = fileColor(shown.data.color) ?? palette.accent;
      const known = this.entries.get(key);
      if (known?.shown === shown && known.color === color) continue;
      const drawer = known?.drawer ?? drawerOf(shown, this.context);
      drawer.show(shown.data, color);
      this.entries.set(key, { shown, drawer, color });
    }
  }

  /** Where a frame is; null where the mechanism has none of that name. */
  private poseOf(frame: string): Matrix4 | null {
    if (frame === "") return WORLD;
    const { model, poses } = this.context.studio;
    const site = model?.siteNames.lastIndexOf(frame) ?? -1;
    return site < 0 ? null : poseMatrix(poses, site, this.matrix);
  }
}
