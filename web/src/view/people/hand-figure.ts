// A hand of another person: a mitten that shows its gesture, a controller, or the tip of a pointer.
import { CapsuleGeometry, ConeGeometry, Group, type Material, Mesh, SphereGeometry, TorusGeometry } from "three"; // prettier-ignore
import type { PersonHand } from "../../wire/messages.ts";

/** Sizes [m of the person]. */
const FINGER = { radius: 0.0085, length: 0.055, apart: 0.019 } as const;

type Look = `${PersonHand["shape"]} ${PersonHand["gesture"]} ${PersonHand["side"]}`;

export class HandFigure {
  readonly group = new Group();
  private look: Look | null = null;

  constructor(private readonly skin: Material) {
    this.group.matrixAutoUpdate = false;
  }

  show({ shape, gesture, side }: PersonHand): void {
    const look: Look = `${shape} ${gesture} ${side}`;
    if (look === this.look) return;
    this.look = look;
    this.clear();
    if (shape === "pointer") this.addPointer();
    else if (shape === "controller") this.addController();
    else this.addHand(gesture, side === "left" ? 1 : -1);
    for (const part of this.group.children) part.raycast = () => undefined;
  }

  dispose(): void {
    this.clear();
    this.group.removeFromParent();
  }

  /** Its tip is where the pointer is; it comes from the person's side (+z). */
  private addPointer(): void {
    const cone = this.add(new ConeGeometry(0.022, 0.075, 20));
    cone.rotation.x = -Math.PI / 2;
    cone.position.z = 0.0375;
  }

  private addController(): void {
    const handle = this.add(new CapsuleGeometry(0.017, 0.075, 4, 16));
    handle.rotation.x = Math.PI / 2 - 0.5;
    handle.position.set(0, -0.012, 0.035);
    const ring = this.add(new TorusGeometry(0.034, 0.006, 8, 28));
    ring.rotation.x = Math.PI / 2 - 0.35;
    ring.position.set(0, 0.008, -0.03);
  }

  /** The origin is the middle of the palm; `inside`: the way to the thumb along x. */
  private addHand(gesture: PersonHand["gesture"], inside: 1 | -1): void {
    const palm = this.add(new SphereGeometry(1, 20, 14));
    palm.scale.set(0.042, 0.016, 0.048);
    const isOpen = gesture === "stop" || gesture === "none";
    for (let i = 0; i < 4; i += 1) {
      const isStraight = isOpen || (gesture === "point" && i === 0);
      const finger = this.add(new CapsuleGeometry(FINGER.radius, FINGER.length, 4, 10));
      finger.position.x = inside * FINGER.apart * (1.5 - i);
      if (isStraight) {
        finger.rotation.x = Math.PI / 2 - (gesture === "none" ? 0.35 : 0);
        finger.position.set(finger.position.x, gesture === "none" ? -0.01 : 0, -0.07);
      } else {
        finger.scale.setScalar(0.8);
        finger.rotation.x = 0.35;
        finger.position.set(finger.position.x, -0.024, -0.042);
      }
    }
    const thumb = this.add(new CapsuleGeometry(0.0095, 0.035, 4, 10));
    const isSpread = gesture === "stop" || gesture === "none";
    thumb.rotation.set(Math.PI / 2, 0, inside * (isSpread ? 0.8 : 0.1));
    thumb.position.set(inside * (isSpread ? 0.052 : 0.03), -0.012, -0.02);
  }

  private add(geometry: Mesh["geometry"]): Mesh {
    const mesh = new Mesh(geometry, this.skin);
    this.group.add(mesh);
    return mesh;
  }

  private clear(): void {
    for (const part of [...this.group.children]) {
      if (part instanceof Mesh) part.geometry.dispose();
      part.removeFromParent();
    }
  }
}
