// More points of a cloud where one looks: asked for when the view rests, some at a time.
import type { Asked, CloudDetailResult } from "../../wire/messages.ts";
import type { Work } from "../requests.ts";
import { PointSet, shareWithin } from "./points.ts";
import type { Workspace } from "./workspace.ts";

/** Points in the picture at most. */
export const MOST_DETAIL = 300_000;
/** Where more of the overview than this is seen, it is detailed enough. */
const NEARLY_ALL = 0.6;

export class Detail {
  readonly points = new PointSet();
  /** What they fill (rows n, d); null: there are none. */
  planes: Float32Array | null = null;
  busy = false;
  private wanted: Float32Array | null = null;
  private turn = 0;

  constructor(private readonly workspace: Workspace) {}

  /** Asks for the points within planes; what is asked for now counts, not what was before. */
  look(planes: Float32Array, most = MOST_DETAIL): void {
    const { cloud, points, task, stale } = this.workspace;
    if (!cloud || task.busy || stale || points.count >= cloud.points) return;
    this.wanted = planes;
    this.turn += 1;
    if (!this.busy) void this.work(Math.min(most, MOST_DETAIL));
  }

  /** The view has moved: what is on its way no longer matters. */
  leave(): void {
    this.turn += 1;
    this.wanted = null;
  }

  stop(): void {
    this.leave();
    this.planes = null;
    this.points.clear();
  }

  private async work(most: number): Promise<void> {
    this.busy = true;
    try {
      while (this.wanted) {
        const planes = this.wanted;
        this.wanted = null;
        const isEnough = shareWithin(this.workspace.points, planes) > NEARLY_ALL;
        if (isEnough) this.drop();
        else await this.fill(planes, most, this.turn);
      }
    } catch {
      // the overview is still there; the next look tries again
    } finally {
      this.busy = false;
      this.workspace.changed();
    }
  }

  /** Piece by piece, each a fraction of a second, so that a new view need not wait for an old. */
  private async fill(planes: Float32Array, most: number, turn: number): Promise<void> {
    const { workspace, points } = this;
    const rows = Array.from(
      { length: planes.length / 4 },
      (_, i): [number, number, number, number] => {
        const [x, y, z, d] = planes.subarray(4 * i, 4 * i + 4);
        return [x, y, z, d];
      },
    );
    let first: number | null = 0;
    let isFirst = true;
    while (first !== null && turn === this.turn) {
      const room = isFirst ? most : most - points.count;
      if (room < 1) return;
      const asked: Asked<"cloud_detail"> = {
        cloud: workspace.shownCloud,
        planes: rows,
        first,
        most: room,
      };
      const work: Work<CloudDetailResult> = workspace.studio.ask("cloud_detail", asked, (piece) => {
        if (turn !== this.turn) return;
        // what was there stays until there is something better
        if (isFirst) points.begin(most, workspace.points.groupCount);
        isFirst = false;
        this.planes = planes;
        points.add(piece);
        workspace.changed();
      });
      first = (await work.promise).next;
    }
  }

  private drop(): void {
    if (!this.planes) return;
    this.planes = null;
    this.points.clear();
    this.workspace.changed();
  }
}
