// Where the mechanism can go, in the view: points, more of them where one looks, bodies, sections.
import { type Camera, Matrix4, Quaternion, Vector3 } from "three";
import type { NoticeHost, WorkspaceHost } from "../../store/hosts.ts";
import { MOST_DETAIL } from "../../store/workspace/detail.ts";
import { MOST_GROUPS, type PointSet, shareWithin } from "../../store/workspace/points.ts";
import type { Place } from "../../store/workspace/settings.ts";
import type { Workspace } from "../../store/workspace/workspace.ts";
import { BALL, mark, plain } from "../overlays/marks.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { groupColors } from "./group-colors.ts";
import { PointPace } from "./pace.ts";
import { pickPoint, type PickOptions } from "./pick-point.ts";
import { PointCloud } from "./point-cloud.ts";
import { rgb, sidePlanes } from "./point-material.ts";
import { Surface } from "./surface.ts";

/** The view rests when no picture was drawn for this long [ms]. */
const REST = 220;
/** What a ray of a hand is at is within this angle [rad]. */
const ASIDE = 0.02;
/** A click this near to a point means it [px]. */
const NEAR = 7;
/** Half of a section's thickness, in distances of points that would fill a cube. */
const THIN = 1.2;
const LOWFX = 20_000;

type Picture = Pick<PickOptions, "width" | "height" | "x" | "y" | "radius">;

/** From the world to a narrow picture of what is ahead of a hand. */
function narrowClip(X_WH: Matrix4): Matrix4 {
  const turn = new Quaternion();
  const at = new Vector3();
  X_WH.decompose(at, turn, new Vector3());
  const t = Math.tan(ASIDE);
  const clip = new Matrix4().makePerspective(-t, t, t, -t, 1, 2);
  return clip.multiply(new Matrix4().compose(at, turn, new Vector3(1, 1, 1)).invert());
}

export class ReachView implements Part {
  private readonly overview: PointCloud;
  private readonly closer: PointCloud;
  private readonly body: Surface;
  private readonly kept: Surface;
  private readonly spot = mark(BALL, plain("#ffffff"), 8);
  private readonly pace: PointPace;
  private readonly lowfx = new URLSearchParams(location.search).has("lowfx");
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isResting = false;
  private hasRested = false;
  /** Time of the picture before [ms]. */
  private last = 0;
  /** Where the eye was when the view rested last. */
  private seen = "";
  private share = 1;
  private shareOf = -1;

  constructor(
    private readonly context: ViewContext<
      NoticeHost & WorkspaceHost,
      "root" | "camera" | "palette" | "extent" | "height" | "eye" | "invalidate" | "mostPoints"
    >,
  ) {
    const { root } = context;
    const { workspace } = context.studio;
    this.pace = new PointPace(this.lowfx ? LOWFX : MOST_DETAIL);
    this.overview = new PointCloud(root, workspace.points, 1);
    this.closer = new PointCloud(root, workspace.detail.points, 1);
    this.kept = new Surface(root);
    this.body = new Surface(root);
    root.add(this.spot);
  }

  paint(palette: Palette): void {
    for (const cloud of [this.overview, this.closer]) cloud.material.paint(palette);
    this.body.paint(palette.accent);
    this.kept.paint(palette.motor);
    this.spot.material = plain(palette.accent);
  }

  frame(interval: number): void {
    const now = performance.now();
    const seconds = (now - this.last) / 1000;
    this.last = now;
    const { studio } = this.context;
    const { workspace } = studio;
    const { points, detail, visible, bodies } = workspace;
    const isShown = visible && points.count > 0;
    this.overview.object.visible = isShown;
    this.closer.object.visible = isShown && detail.planes !== null;
    this.body.update(bodies.visible ? bodies.body : null, workspace.section, bodies.stale);
    const other = bodies.visible && bodies.kept !== bodies.body ? bodies.kept : null;
    this.kept.update(other, workspace.section, false);
    const { marked } = workspace;
    this.spot.visible = marked !== null && visible;
    if (marked) {
      this.spot.position.set(...marked.at);
      this.spot.scale.setScalar(0.012 * this.context.extent);
    }
    if (!isShown) return;
    const { mostPoints } = this.context;
    // a picture right after another took as long as the one before needed; those of a headset come
    // when it wants them
    if (mostPoints === null && (seconds < 1.5 * interval + 0.005 || interval >= 0.1))
      this.pace.learn(seconds, this.drawn);
    const most = mostPoints ?? (this.isResting ? this.pace.resting : this.pace.moving);
    const near = detail.planes ? Math.min(detail.points.count, 0.6 * most) : 0;
    this.closer.update(near);
    this.overview.update(most - near);
    this.look(workspace);
    this.hasRested = this.isResting;
    this.isResting = false;
    clearTimeout(this.timer);
    if (mostPoints === null) this.timer = setTimeout(() => this.rest(), REST);
  }

  /** Places that the view should show all of. */
  places(): Vector3[] {
    const { workspace } = this.context.studio;
    const { bounds } = workspace;
    if (!bounds || !workspace.visible) return [];
    return [0, 1, 2, 3, 4, 5, 6, 7].map(
      (i) => new Vector3(...([0, 1, 2].map((k) => bounds[(i >> k) & 1][k]) as Place)),
    );
  }

  /** A click beside all links: takes the mechanism to the point under it. */
  click(x: number, y: number): boolean {
    const picture = { width: this.width, height: this.context.height, x, y, radius: NEAR };
    return this.goTo(this.clip(this.context.eye), picture);
  }

  /** The same by the ray of a hand: the point is in the middle of what the hand would see. */
  goAlong(X_WH: Matrix4): boolean {
    const picture = { width: 1, height: 1, x: 0.5, y: 0.5, radius: 0.5 };
    return this.goTo(narrowClip(X_WH), picture);
  }

  private goTo(clip: Matrix4, picture: Picture): boolean {
    const { workspace, readOnly } = this.context.studio;
    if (!workspace.goes || !workspace.visible || readOnly || workspace.stale) return false;
    const found = [this.closer, this.overview].map((cloud) => {
      if (!cloud.object.visible) return null;
      const isCloser = cloud === this.closer;
      const hit = pickPoint(cloud.set, clip.elements, {
        ...picture,
        count: cloud.object.geometry.drawRange.count, hidden: workspace.hidden,
        without: isCloser ? null : workspace.detail.planes,
        isShown: this.inSection(workspace),
      }); // prettier-ignore
      return hit && { ...hit, set: cloud.set };
    });
    const [best] = found.filter((hit) => hit !== null).sort((a, b) => a.depth - b.depth);
    if (!best) return false;
    void workspace.goTo(best.index, best.set);
    return true;
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const part of [this.overview, this.closer, this.body, this.kept]) part.dispose();
    this.spot.removeFromParent();
  }

  private get width(): number {
    return this.context.height * this.context.camera.camera.aspect;
  }
  private get drawn(): number {
    const counts = [this.overview, this.closer].map((cloud) =>
      cloud.object.visible ? Math.min(cloud.set.count, cloud.object.geometry.drawRange.count) : 0,
    );
    return counts[0] + counts[1];
  }

  /** From the world to the picture. */
  private clip(camera: Camera = this.context.camera.camera): Matrix4 {
    const { root } = this.context;
    return new Matrix4()
      .multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse)
      .multiply(root.matrixWorld);
  }

  /** Nothing has moved for a while: all points are drawn, and more are asked for. */
  private rest(): void {
    const { workspace } = this.context.studio;
    const planes = sidePlanes(this.clip());
    this.share = shareWithin(workspace.points, planes);
    this.shareOf = workspace.points.generation;
    const seen = planes.join() + workspace.points.generation + workspace.task.busy;
    if (seen !== this.seen) {
      this.seen = seen;
      workspace.detail.leave();
      const most = Math.max(1, Math.round(Math.min(MOST_DETAIL, this.pace.resting)));
      workspace.detail.look(planes, most);
    }
    if (!this.hasRested && this.drawn < this.total()) {
      this.isResting = true;
      this.context.invalidate();
    }
  }

  private total(): number {
    return Math.min(this.pace.resting, this.overview.set.count + this.closer.set.count);
  }

  private look(workspace: Workspace): void {
    const { palette, camera, extent, height } = this.context;
    const { detail, section, hidden, scale, stale } = workspace;
    const colors = groupColors(workspace, palette.dark).slice(0, MOST_GROUPS).map(rgb);
    const distance = camera.eye.distance;
    let mask = 0;
    for (const group of hidden) if (group < MOST_GROUPS) mask |= 1 << group;
    const slab: [number, number, number, number] | null = section && [0, 0, 0, section.at];
    if (slab && section) slab[section.axis] = 1;
    const isImmersed = this.context.mostPoints !== null;
    const ratio = this.lowfx || isImmersed ? 1 : Math.min(2, globalThis.devicePixelRatio || 1);
    for (const part of [this.overview, this.closer]) {
      const { uniforms } = part.material;
      colors.forEach((color, i) => (uniforms.colours.value as Vector3[])[i].copy(color));
      uniforms.byValue.value = scale ? 1 : 0;
      if (scale?.ends) uniforms.ends.value.set(...scale.ends);
      else uniforms.ends.value.set(1, 0);
      uniforms.hidden.value = mask;
      uniforms.fade.value = stale ? 1 : 0;
      // a user in a headset may stand among the points: haze would not show their depth
      const [near, far] = [Math.max(0, distance - 1.6 * extent), distance + 2 * extent];
      uniforms.depths.value.set(...((isImmersed ? [1e9, 2e9] : [near, far]) as [number, number]));
      const seen = this.seenOf(part.set);
      // the more of them, the more is seen through them: else they would hide the mechanism
      uniforms.opacity.value = Math.min(
        0.95,
        Math.max(0.42, 0.95 - 0.4 * Math.log10(seen / 20_000)),
      );
      const room = (this.width * height) / seen;
      uniforms.size.value = ratio * Math.min(5, Math.max(1.5, 0.55 * Math.sqrt(room)));
      part.material.setSlab(slab, this.thickness(workspace));
    }
    this.overview.material.setPlanes(detail.planes, false);
    this.closer.material.setPlanes(null, true);
  }

  /** About how many points of a set are in the picture. */
  private seenOf(set: PointSet): number {
    const isCloser = set === this.closer.set;
    const share = isCloser || this.shareOf !== set.generation ? 1 : Math.max(0.02, this.share);
    const most = this.context.mostPoints ?? this.pace.resting;
    return Math.max(1, Math.min(set.count, most) * share);
  }

  private thickness({ bounds, bodies, zone, points }: Workspace): number {
    const cell = bodies.body?.grid.cell ?? (zone?.kind === "place" ? zone.step : 0);
    if (!bounds) return cell / 2;
    const reach = Math.max(...[0, 1, 2].map((i) => bounds[1][i] - bounds[0][i]));
    return Math.max((THIN * reach) / Math.cbrt(Math.max(1, points.count)), cell / 2);
  }

  private inSection(workspace: Workspace): ((...at: Place) => boolean) | undefined {
    const { section } = workspace;
    if (!section) return undefined;
    const half = this.thickness(workspace);
    return (...at) => Math.abs(at[section.axis] - section.at) <= half;
  }
}
