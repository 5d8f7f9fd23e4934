// Floor, light and point of view for what there is now: all of it is in sight, clear of the tools.
import { Vector3 } from "three";
import type { DragHost, ModelHost, SimulationHost } from "../../store/hosts.ts";
import { autoView, type Direction } from "../camera/auto-view.ts";
import type { OrbitCamera } from "../camera/camera.ts";
import { type Frame, measure } from "../camera/framing.ts";
import { type Gravity, upOf } from "../camera/gravity.ts";
import type { Links } from "../links/links.ts";
import type { SceneObjects } from "../objects/objects.ts";
import type { Floor } from "./grid.ts";
import type { Stage } from "./stage.ts";

/** The same mechanism fits as long as it grows and shrinks by no more than this. */
const [SHRUNK, GROWN] = [0.6, 1.6];
/** Directions that differ by less are the same. */
const SAME = 0.01;

/** What is arranged. */
interface Room {
  readonly stage: Stage;
  readonly floor: Floor;
  readonly camera: OrbitCamera;
  readonly links: Links;
  readonly objects: SceneObjects;
  readonly gravity: Pick<Gravity, "settle">;
  invalidate(): void;
}

export class Arrangement {
  /** Name of the mechanism that the camera was set up for. */
  private shown: string | null = null;

  constructor(
    private readonly studio: ModelHost & DragHost & SimulationHost,
    private readonly room: Room,
  ) {}

  /** How large everything is and where it stands, and which way is up. */
  frame(): Frame & { up: Vector3 } {
    const up = upOf(this.studio);
    return { ...measure(this.room.links, this.room.objects, up), up };
  }

  /** Whether the picture stands as gravity has it. */
  get isUpright(): boolean {
    return upOf(this.studio).distanceTo(this.room.camera.up) <= SAME;
  }

  /** Whether nobody has chosen what to see, and holds nothing. */
  get isLeft(): boolean {
    return !this.room.camera.isHandled && this.studio.grabs.length === 0;
  }

  /**
   * Puts floor and light in place; a good point of view for another mechanism.
   * @param normal Of the plane that a flat mechanism moves in.
   */
  arrange(normal: Vector3 | null): void {
    const { model, poses, simulation } = this.studio;
    if (!model || !poses.length) return;
    const { stage, camera, floor: ground } = this.room;
    const isTurned = !this.isUpright;
    const { cloud, centre, radius, floor, up } = this.frame();
    const upright = camera.upright.setFromUnitVectors(new Vector3(0, 0, 1), up);
    const growth = radius / camera.extent;
    camera.extent = radius;
    ground.place(centre, radius, floor, upright);
    simulation.ground = floor;
    stage.light(centre, radius, upright);
    if (model.data.name !== this.shown || isTurned) {
      this.shown = model.data.name;
      this.show(cloud, false, autoView(poses, model.linkCount, normal, upright));
    } else if (growth > GROWN || growth < SHRUNK) {
      // The same mechanism, being built: the view only follows when it no longer fits.
      this.show(cloud);
    }
  }

  /** Shows places, and gravity beside them, clear of the tools. */
  show(cloud: Vector3[], smooth = true, view?: Direction): void {
    const { camera, gravity } = this.room;
    const fit = () => camera.fit(cloud, smooth, view, (right, up) => gravity.settle(right, up));
    fit();
    if (smooth) return;
    // Tools that come with a mechanism are laid out a moment later than it.
    const before = JSON.stringify(camera.covered());
    setTimeout(() => {
      if (!this.isLeft || before === JSON.stringify(camera.covered())) return;
      fit();
      this.room.invalidate();
    });
  }
}
