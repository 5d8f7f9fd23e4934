// Traces that programs asked for: where points of frames have been since then.
import { applyPose, poseAt, type Three } from "../../kernel/spatial.ts";
import type { TraceItem } from "../../wire/messages.ts";
import type { ModelHost } from "../hosts.ts";

/** A point is kept if it is so far from the last one, relative to the mechanism's size. */
const NEAR = 0.002;

export class Traces {
  private readonly all = new Map<string, { item: TraceItem; points: Three[] }>();

  constructor(private readonly studio: ModelHost) {}

  /** What the programs trace now, by key; a trace of the same point continues. */
  follow(items: ReadonlyMap<string, TraceItem>): void {
    for (const key of this.all.keys()) if (!items.has(key)) this.all.delete(key);
    for (const [key, item] of items) {
      const known = this.all.get(key);
      if (known?.item === item) continue;
      const isSame =
        known?.item.frame === item.frame && known.item.point.join() === item.point.join();
      const entry = { item, points: isSame ? known.points : [] };
      this.all.set(key, entry);
      this.add(entry);
    }
  }

  /** The mechanism has moved; `leaps`: to a pose that no motion led to. */
  moved(leaps: boolean): void {
    for (const entry of this.all.values()) {
      if (leaps) entry.points = [];
      this.add(entry);
    }
  }

  /** The points of a trace [m], in world coordinates. */
  points(key: string): readonly Three[] {
    return this.all.get(key)?.points ?? [];
  }

  private add({ item, points }: { item: TraceItem; points: Three[] }): void {
    const { model, poses } = this.studio;
    const site = model?.siteNames.lastIndexOf(item.frame) ?? -1;
    if (!model || site < 0 || !poses.length) return;
    const at = applyPose(poseAt(poses, site), item.point);
    const last = points[points.length - 1];
    const way = last && Math.hypot(at[0] - last[0], at[1] - last[1], at[2] - last[2]);
    if (way !== undefined && way < NEAR * model.size) return;
    points.push(at);
    if (points.length > item.length) points.splice(0, Math.ceil(item.length / 10));
  }
}
