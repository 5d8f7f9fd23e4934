// The body of what is reached: surface, cells and size; one can be kept and compared with another.
import type { Piece } from "../../wire/piece-frame.ts";
import { floats } from "../../wire/piece-frame.ts";
import { Cells } from "./cells.ts";
import type { BodyAnswer } from "./answers.ts";
import type { FileLink } from "../../wire/messages.ts";
import { Task } from "../task.ts";
import type { Workspace } from "./workspace.ts";

export type BodyDetail = "quick" | "normal" | "fine";

export interface Body extends BodyAnswer {
  vertices: Float32Array;
  /** Corners of triangles, or of the outline's pieces in a plane. */
  faces: Uint32Array;
  cells: Cells;
  /** Which frame it is of. */
  frame: string;
}

export class Bodies {
  detail: BodyDetail = "normal";
  body: Body | null = null;
  /** The one that others are compared with. */
  kept: Body | null = null;
  /** Numbers have changed since the body was made. */
  stale = false;
  visible = true;
  readonly task: Task;

  constructor(private readonly workspace: Workspace) {
    this.task = new Task(workspace.studio, workspace.told);
  }

  set(change: Partial<Pick<Bodies, "detail" | "visible">>): void {
    if (change.detail !== undefined && change.detail !== this.detail && this.body)
      this.stale = true;
    Object.assign(this, change);
    this.workspace.told();
  }

  /** Makes the body of what is asked for now; compared with the one that is kept. */
  async run(): Promise<void> {
    const { workspace } = this;
    const { studio } = workspace;
    if (workspace.reversed.length) return;
    let surface: Pick<Body, "vertices" | "faces"> | null = null;
    let bits: Uint8Array | null = null;
    const take = (piece: Piece): void => {
      const { head, data } = piece;
      if (head.what === "surface") {
        const corners = 3 * Number(head.vertices);
        const count = Number(head.faces) * Number(head.sides);
        surface = {
          vertices: floats(piece, 0, corners),
          faces: new Uint32Array(data.buffer, data.byteOffset + 4 * corners, count),
        };
      } else if (head.what === "cells")
        bits = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      if (typeof head.share === "number") {
        this.task.share = head.share;
        workspace.told();
      }
    };
    const found = await this.task.run(() =>
      studio.analyse<BodyAnswer>("boundary", this.arguments(true), take),
    );
    if (!found || !surface || !bits) return;
    const frame = workspace.frame ?? studio.model?.siteNames.at(-1) ?? "";
    const cells = new Cells(found, bits);
    this.body = { ...found, ...(surface as Pick<Body, "vertices" | "faces">), cells, frame };
    this.stale = false;
    workspace.told();
  }

  /** Keeps the present body to compare others with. */
  keep(): void {
    this.kept = this.body;
    this.workspace.told();
  }
  drop(): void {
    this.kept = null;
    if (this.body) this.body = { ...this.body, comparison: undefined };
    this.workspace.told();
  }
  clear(): void {
    this.task.clear();
    this.body = null;
    this.stale = false;
    this.workspace.told();
  }

  /** The surface as a file. */
  file(format: "glb" | "ply"): { promise: Promise<FileLink>; cancel(): void } {
    const asked = { ...this.arguments(false), file: format };
    return this.workspace.studio.analyse<FileLink>("boundary", asked);
  }

  /** @internal */
  grewOld(): void {
    if (this.body) this.stale = true;
  }
  /** @internal */
  forget(): void {
    this.task.clear();
    this.body = this.kept = null;
    this.stale = false;
  }

  private arguments(isCompared: boolean): Record<string, unknown> {
    const { workspace, kept } = this;
    const { groups, hidden } = workspace;
    const shown = groups.filter((_, i) => !hidden.has(i));
    return {
      // the same points as those on show, while they match the settings
      ...(workspace.stale || !workspace.result ? workspace.request() : workspace.arguments),
      of: workspace.kind,
      detail: this.detail,
      shown: workspace.kind === "zone" && workspace.zone ? shown : null,
      against: isCompared && kept ? kept.cells.told() : null,
    };
  }
}
