// Which way is down: the picture stands upright by it, and an arrow shows it.
import { Box3, MeshBasicMaterial, Vector3 } from "three";
import { suitable } from "../../store/simulation/first-settings.ts";
import type { ChoiceHost, ModelHost, SimulationHost } from "../../store/hosts.ts";
import { Arrow } from "../forces/arrow.ts";
import type { Label } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";

/** Size of the arrow, in radii of the mechanism. */
const LENGTH = 0.32;
const WIDTH = 0.013;
/** How far it stands beside everything. */
const BESIDE = 0.18;

/**
 * What is up in the picture: against the mechanism's own gravity, z where it has none. The floor of
 * a simulation is the one in the picture: perpendicular to gravity as it acts, or to the text's.
 */
export function upOf(
  studio: Pick<ModelHost & SimulationHost, "model" | "snapshot" | "simulation">,
): Vector3 {
  const { gravity, own = [0, 0, 0] } = suitable(studio);
  const { settings, gravity: acting } = studio.simulation;
  const written = studio.model?.part("gravity") ?? [0, 0, 0];
  const pulls = settings.floor ? [acting, written] : [gravity === "own" ? own : written];
  const up = pulls.map((g) => new Vector3().fromArray(g).negate()).find((g) => g.length() > 0);
  if (!up) return new Vector3(0, 0, 1);
  up.normalize();
  return new Vector3(...up.toArray().map((x) => Math.round(x * 1e9) / 1e9)) as Vector3;
}

/** An arrow beside the mechanism along gravity as it acts in a simulation. */
export class Gravity implements Part {
  private readonly material = new MeshBasicMaterial();
  private readonly arrow: Arrow;
  private readonly label: Label;
  /** Where the arrow's middle is [m]. */
  private readonly middle = new Vector3();
  private size = 1;

  constructor(
    private readonly context: ViewContext<
      ModelHost & ChoiceHost & SimulationHost,
      "root" | "links" | "objects" | "labels" | "extent"
    >,
  ) {
    this.arrow = new Arrow(context.root, this.material);
    this.label = context.labels.add("note", "g");
    this.label.visible = false;
    this.arrow.hide();
  }

  paint(palette: Palette): void {
    this.material.color.set(palette.faint);
  }

  frame(): void {
    this.label.visible = this.isShown;
    if (!this.isShown) {
      this.arrow.hide();
      return;
    }
    const length = LENGTH * this.size;
    const way = this.down.normalize();
    const from = this.middle.clone().addScaledVector(way, -0.5 * length);
    this.arrow.show(from, way, length, WIDTH * this.size);
    this.label.at = from.toArray();
  }

  dispose(): void {
    this.arrow.remove();
    this.label.remove();
    this.material.dispose();
  }

  /**
   * Finds its place: to the left of everything, and out of the way.
   * @param right Of the picture.
   * @param up Of the picture.
   * @returns Its ends, which are to be seen.
   */
  settle(right: Vector3, up: Vector3): Vector3[] {
    const { links, objects, extent } = this.context;
    const cloud = [...links.cloud(), ...objects.cloud()];
    if (!cloud.length) return [];
    const back = right.clone().cross(up);
    const level = cloud.map((p) => new Vector3(p.dot(right), p.dot(up), p.dot(back)));
    const box = new Box3().setFromPoints(level);
    const { y, z } = box.getCenter(new Vector3());
    this.size = extent;
    this.middle
      .set(0, 0, 0)
      .addScaledVector(right, box.min.x - BESIDE * extent)
      .addScaledVector(up, y)
      // what moves passes before it
      .addScaledVector(back, Math.max(box.min.z, z - BESIDE * extent));
    const half = this.down.normalize().multiplyScalar(0.5 * LENGTH * extent);
    return this.isShown ? [this.middle.clone().add(half), this.middle.clone().sub(half)] : [];
  }

  /** Gravity as it acts [m/s²]. */
  private get down(): Vector3 {
    return new Vector3().fromArray(this.context.studio.simulation.gravity);
  }

  private get isShown(): boolean {
    const { studio } = this.context;
    return studio.settings.showGravity && studio.model !== null && this.down.length() > 0;
  }
}
