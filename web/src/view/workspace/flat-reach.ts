// The zone in the 2D view: a picture of its points, created again only when they or the view change.
import { applyInverse, type Mat3 } from "../../shapes/vectors.ts";
import type { Workspace } from "../../store/workspace/workspace.ts";
import { groupColors } from "./group-colors.ts";

/** How the plane is seen. */
export interface FlatSight {
  width: number;
  height: number;
  /** Pixels of the screen per pixel. */
  ratio: number;
  /** [px/m] */
  scale: number;
  origin: { x: number; y: number };
}

/** Points that are drawn at most: more would only lie on each other. */
const MOST = 60_000;

export class FlatReach {
  private readonly canvas = document.createElement("canvas");
  private key = "";

  /** Draws the points under everything else. */
  draw(
    context: CanvasRenderingContext2D,
    workspace: Workspace,
    plane: Mat3,
    sight: FlatSight,
    dark: boolean,
  ): void {
    // prettier-ignore
    const { points, visible, zone, cloud, hidden, stale } = workspace;
    if (!visible || !points.count || zone?.kind === "turn") return;
    const { width, height, ratio, scale, origin } = sight;
    const key = [
      points.generation, points.count, [...hidden].join(), dark, width, height, ratio, scale,
      origin.x, origin.y, workspace.palette,
    ].join(); // prettier-ignore
    if (key !== this.key) {
      this.key = key;
      this.paint(workspace, plane, sight, dark);
    }
    context.save();
    context.globalAlpha = (cloud ? 0.8 : 0.42) * (stale ? 0.5 : 1);
    context.drawImage(this.canvas, 0, 0, width, height);
    context.restore();
  }

  private paint(workspace: Workspace, plane: Mat3, sight: FlatSight, dark: boolean): void {
    const { points, hidden } = workspace;
    const { width, height, ratio, scale, origin } = sight;
    const { canvas } = this;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const colors = groupColors(workspace, dark);
    const size = Math.max(1.5, Math.min(12, this.spacing(workspace) * scale));
    const count = Math.min(points.count, MOST);
    colors.forEach((color, group) => {
      if (hidden.has(group)) return;
      context.fillStyle = color;
      for (let i = 0; i < count; i++) {
        if (points.groups[i] !== group) continue;
        const at = points.xyz.subarray(3 * i, 3 * i + 3);
        const [x, y] = applyInverse(plane, [at[0], at[1], at[2]]);
        const [u, v] = [origin.x + x * scale, origin.y - y * scale];
        context.fillRect(u - size / 2, v - size / 2, size, size);
      }
    });
  }

  /** How far apart points lie [m]: marks of that size fill the zone. */
  private spacing({ zone, points }: Workspace): number {
    if (!zone) return 0;
    const { cell, value } = zone.measure;
    const apart = Math.sqrt(value / Math.max(1, Math.min(points.count, MOST)));
    return Math.min(cell, 1.3 * apart);
  }
}
