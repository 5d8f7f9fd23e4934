// Putting the mechanism on a real table or floor: rings show where hands point, a press puts it there.
import { DoubleSide, Group, Mesh, MeshBasicMaterial, RingGeometry, type Vector3 } from "three";
import type { NoticeHost } from "../../store/hosts.ts";
import type { Palette } from "../../view/links/palette.ts";
import type { Hand, Press } from "../hands/inputs.ts";
import { HitTests } from "./hit-tests.ts";
import { isLevel, ringAt, type Surface } from "./placing.ts";

/** A ring is as large as what is put down, within these [m]. */
const RADII = [0.05, 0.5] as const;

type Pointer = Hand | "eyes";

export class PutDown {
  readonly group = new Group();
  isOn = false;
  private tests: HitTests | null = null;
  private readonly found = new Map<Pointer, Surface>();
  private readonly shape = new RingGeometry(0.88, 1, 64);
  private readonly paint = new MeshBasicMaterial({ toneMapped: false, side: DoubleSide });

  /**
   * @param isAtPanel Whether a hand points at a panel: its presses are for that.
   * @param put Puts the mechanism at a place of the room.
   */
  constructor(
    private readonly session: XRSession,
    private readonly studio: NoticeHost,
    private readonly isAtPanel: (hand: Hand) => boolean,
    private readonly put: (place: Vector3) => void,
  ) {}

  /** Begins to look for a place, or gives up. */
  toggle(hands: readonly Hand[]): void {
    if (this.isOn) return this.end();
    this.isOn = true;
    this.tests = new HitTests(this.session, ({ message }) => {
      this.end();
      this.studio.notice("error", `The headset does not find surfaces: ${message}`);
    });
    const kinds = new Set(hands.map(({ kind }) => kind));
    this.studio.notice(
      "info",
      kinds.has("controller")
        ? "Point at a table or the floor, then press the trigger"
        : kinds.has("tracked")
          ? "Point at a table or the floor, then pinch"
          : "Aim the middle of the picture at a table or the floor, then tap",
    );
  }

  /** Looks where hands point; returns the presses that are not for this. */
  update(
    frame: XRFrame,
    space: XRReferenceSpace,
    hands: readonly Hand[],
    presses: Press[],
    raised: number,
  ): Press[] {
    this.found.clear();
    const { tests } = this;
    if (!tests) return presses;
    const eyes: readonly Pointer[] = this.isHandheld ? ["eyes"] : [];
    for (const pointer of [...hands.filter(({ kind }) => kind !== "pointer"), ...eyes]) {
      if (pointer !== "eyes" && this.isAtPanel(pointer)) continue;
      const source = pointer === "eyes" ? pointer : pointer.source;
      const surface = tests.of(source, frame, space, raised);
      if (surface && isLevel(surface)) this.found.set(pointer, surface);
    }
    const own = presses.find(
      ({ hand, button, isDown }) => isDown && button === "select" && !this.isAtPanel(hand),
    );
    if (!own) return presses;
    const surface = this.found.get(own.hand.kind === "pointer" ? "eyes" : own.hand);
    if (surface) {
      this.put(surface.at);
      this.end();
    } else this.studio.notice("info", "Nothing can stand there: point at a table or the floor");
    return presses.filter((press) => press !== own);
  }

  /** Shows where it would stand; `radius`: of what is put down [m of the room]. */
  show(palette: Palette, radius: number): void {
    this.paint.color.set(palette.accent);
    const size = Math.min(RADII[1], Math.max(RADII[0], radius));
    const surfaces = [...this.found.values()];
    while (this.group.children.length < surfaces.length) this.group.add(this.ring());
    this.group.children.forEach((ring, i) => {
      const surface = surfaces.at(i);
      ring.visible = surface !== undefined;
      if (!surface) return;
      ring.matrix.copy(ringAt(surface, size));
      ring.matrixWorldNeedsUpdate = true;
    });
  }

  dispose(): void {
    this.end();
    this.shape.dispose();
    this.paint.dispose();
    this.group.removeFromParent();
  }

  private end(): void {
    this.isOn = false;
    this.tests?.dispose();
    this.tests = null;
    this.found.clear();
  }

  private ring(): Mesh {
    const ring = new Mesh(this.shape, this.paint);
    ring.matrixAutoUpdate = false;
    ring.raycast = () => undefined;
    return ring;
  }

  /** A phone, whose fingers point only while they press. */
  private get isHandheld(): boolean {
    return (this.session as { interactionMode?: string }).interactionMode === "screen-space";
  }
}
