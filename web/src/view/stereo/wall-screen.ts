// One screen of a wall: what this window draws, from what the session says of room and head.
import { Vector3 } from "three";
import type { ModelHost, WallHost } from "../../store/hosts.ts";
import type { ScreenData } from "../../wire/messages.ts";
import type { OrbitCamera } from "../camera/camera.ts";
import type { Layout } from "./layout.ts";
import type { View } from "./off-axis.ts";
import { inWorld, roomFor, sizeOf, standing, viewsOf } from "./wall.ts";

const MODES = {
  centre: "off",
  left: "off",
  right: "off",
  "side-by-side": "side",
  "top-bottom": "stacked",
  "red-cyan": "anaglyph",
} as const satisfies Record<ScreenData["shows"], Layout["mode"]>;
/** The near plane, as a share of a screen's height: nothing nearer to the eyes is drawn. */
const NEAR = 0.02;

export class WallScreen {
  constructor(
    private readonly studio: ModelHost & WallHost,
    private readonly orbit: OrbitCamera,
  ) {}

  /** Whether this window is a screen of a wall, also where the mechanism has none. */
  get isWanted(): boolean {
    return this.studio.wall.screen !== null;
  }

  /** The screen that this window is; null: none, or the mechanism has no such screen. */
  get screen(): ScreenData | null {
    const { wall, snapshot } = this.studio;
    return snapshot?.wall?.screens.find(({ name }) => name === wall.screen) ?? null;
  }

  /** Where the pictures of its eyes lie; both eyes share the whole screen. */
  layout(swapped: boolean): Layout {
    return { mode: MODES[this.screen?.shows ?? "centre"], swapped, squeezed: true };
  }

  /** What its eyes see now; null: nothing can be shown. */
  views(): View[] | null {
    const { screen } = this;
    const { wall, snapshot } = this.studio;
    if (!screen || !snapshot?.wall) return null;
    const room = standing(snapshot.wall, wall.state);
    const [x, y, z] = this.orbit.eye.target;
    const eye = inWorld(room, room.head.slice(4) as [number, number, number]);
    const reach = eye.distanceTo(new Vector3(x, y, z)) + 4 * this.orbit.extent;
    const near = NEAR * sizeOf(screen)[1] * room.scale;
    return viewsOf(snapshot.wall, room, screen, { near, far: Math.max(30 * reach, 100 * near) });
  }

  /** Moves the wall to what this window's camera looks at, where it leads. */
  lead(): void {
    const { wall, snapshot } = this.studio;
    if (!wall.leads || !snapshot?.wall) return;
    const { eye, camera } = this.orbit;
    // level: a camera that looks down on the mechanism does not tilt the room
    const [right, up, back] = this.orbit.basis(wall.upright ? { ...eye, elevation: 0 } : eye);
    const height = 2 * eye.distance * Math.tan((camera.fov * Math.PI) / 360);
    const { at, scale } = roomFor(snapshot.wall, { target: eye.target, right, up, back, height });
    wall.place(at, scale);
  }
}
