// The body of what is reached: surface, cells and size; one can be kept and compared with another.
import type { Piece } from "../../wire/piece-frame.ts";
import { floats } from "../../wire/piece-frame.ts";
import { Cells } from "./cells.ts";
import type { Asked, BodyResult, FileLink, PieceOf } from "../../wire/messages.ts";
import type { Work } from "../requests.ts";
import { Task } from "../task.ts";
import type { Workspace } from "./workspace.ts";

export type BodyDetail = NonNullable<Asked<"cloud_body">["detail"]>;

export interface Body extends BodyResult {
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
    this.task = new Task(workspace.studio, workspace.changed);
  }

  set(change: Partial<Pick<Bodies, "detail" | "visible">>): void {
    if (change.detail !== undefined && change.detail !== this.detail && this.body)
      this.stale = true;
    Object.assign(this, change);
    this.workspace.changed();
  }

  /** Makes the body of what is asked for now; compared with the one that is kept. */
  async run(): Promise<void> {
    const { workspace } = this;
    const { studio } = workspace;
    if (workspace.reversed.length) return;
    let surface: Pick<Body, "vertices" | "faces"> | null = null;
    let bits: Uint8Array | null = null;
    const take = (piece: Piece<PieceOf<"cloud_body" | "zone_body">>): void => {
      const { head, data } = piece;
      if (head.kind === "surface") {
        const corners = 3 * head.vertices;
        const count = head.faces * head.sides;
        surface = {
          vertices: floats(piece, 0, corners),
          faces: new Uint32Array(data.buffer, data.byteOffset + 4 * corners, count),
        };
      } else if (head.kind === "cells")
        bits = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      else {
        this.task.share = head.share;
        workspace.changed();
      }
    };
    const against = this.kept?.cells.packed() ?? null;
    const found = await this.task.run(() =>
      workspace.kind === "cloud"
        ? studio.ask("cloud_body", { ...this.cloudBody(), against }, take)
        : studio.ask("zone_body", { ...this.zoneBody(), against }, take),
    );
    if (!found || !surface || !bits) return;
    const frame = workspace.frame ?? studio.model?.siteNames.at(-1) ?? "";
    const cells = new Cells(found.grid, bits);
    this.body = { ...found, ...(surface as Pick<Body, "vertices" | "faces">), cells, frame };
    this.stale = false;
    workspace.changed();
  }

  /** Keeps the present body to compare others with. */
  keep(): void {
    this.kept = this.body;
    this.workspace.changed();
  }
  drop(): void {
    this.kept = null;
    if (this.body) this.body = { ...this.body, comparison: null };
    this.workspace.changed();
  }
  clear(): void {
    this.task.clear();
    this.body = null;
    this.stale = false;
    this.workspace.changed();
  }

  /** The surface as a file. */
  file(format: "glb" | "ply"): Work<FileLink> {
    const { studio, kind } = this.workspace;
    return kind === "cloud"
      ? studio.ask("cloud_surface_file", { ...this.cloudBody(), format })
      : studio.ask("zone_surface_file", { ...this.zoneBody(), format });
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

  private cloudBody(): Pick<Asked<"cloud_body">, "cloud" | "detail"> {
    return { cloud: this.workspace.presentCloud, detail: this.detail };
  }
  private zoneBody(): Pick<Asked<"zone_body">, "zone" | "shown"> {
    const { groups, hidden, zone, presentZone } = this.workspace;
    const shown = zone ? groups.filter((_, i) => !hidden.has(i)) : null;
    return { zone: presentZone, shown };
  }
}
