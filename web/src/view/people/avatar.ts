// Another person as one sees them: a head with a visor, hands, and a name above.
import { CapsuleGeometry, Group, type Material, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, SphereGeometry, Vector3 } from "three"; // prettier-ignore
import type { PersonSeen } from "../../wire/messages.ts";
import type { Presence } from "../../store/people.ts";
import { poseMatrix } from "../spaces.ts";
import { HandFigure } from "./hand-figure.ts";
import { NAME_HEIGHT, NameLabel } from "./label.ts";

/** Nearer to one's own eyes a head would hide everything [m of the person]. */
const NEAREST = 0.25;
/** The same in a window, where one cannot look past it [m of oneself]; all is 2 m away there. */
const NEAREST_IN_WINDOW = 0.8;
/** A name is at most so high in a window, seen from its eye [rad]. */
const NAME = 0.025;
/** Oneself hides little of what one stands before. */
const OWN_OPACITY = 0.35;
/** The name is above the middle of the head [m of the person]. */
const ABOVE = 0.2;

export class Avatar {
  readonly group = new Group();
  private readonly head = new Group();
  private readonly label = new NameLabel();
  private readonly skin = new MeshStandardMaterial({ roughness: 0.5 });
  private readonly glass = new MeshStandardMaterial({ color: "#12161d", roughness: 0.18 });
  private readonly light = new MeshBasicMaterial({ color: "#e9f4ff", toneMapped: false });
  private readonly hands = new Map<string, HandFigure>();

  constructor() {
    const skull = new Mesh(new SphereGeometry(0.105, 32, 24), this.skin);
    skull.scale.set(0.9, 1.12, 1);
    skull.position.z = 0.06;
    const visor = new Mesh(new CapsuleGeometry(0.045, 0.075, 8, 24), this.glass);
    visor.rotation.z = Math.PI / 2;
    visor.scale.set(0.95, 1, 0.75);
    visor.position.z = -0.032;
    this.head.add(skull, visor);
    for (const side of [-1, 1]) {
      const eye = new Mesh(new CapsuleGeometry(0.009, 0.014, 4, 12), this.light);
      eye.position.set(0.034 * side, 0, -0.065);
      this.head.add(eye);
    }
    for (const part of this.head.children) part.raycast = () => undefined;
    this.head.matrixAutoUpdate = false;
    this.group.add(this.head, this.label.sprite);
  }

  /** Lets others be seen through oneself. */
  fade(): void {
    for (const material of [this.skin, this.glass, this.light]) fade(material);
  }

  /**
   * `own`: where one is, null where that is not known; `eye`: of a window, null in a headset;
   * `up`: of the world.
   */
  show(
    { person, color }: PersonSeen,
    own: Presence | null,
    eye: Vector3 | null,
    up: Vector3,
  ): void {
    const { head, hands, scale, name } = person;
    this.skin.color.set(color);
    const size = new Vector3(scale, scale, scale);
    poseMatrix(head, 0, this.head.matrix).scale(size);
    this.head.matrixWorldNeedsUpdate = true;
    const place = new Vector3().setFromMatrixPosition(this.head.matrix);
    const isNear = own !== null && isBefore(own, place, scale);
    this.head.visible = this.label.sprite.visible = !isNear;
    this.label.show(name, color);
    this.label.sprite.position.copy(place).addScaledVector(up, ABOVE * scale);
    const most = eye ? NAME * place.distanceTo(eye) : Infinity;
    this.label.resize(Math.min(scale, most / NAME_HEIGHT));
    for (const [side, figure] of this.hands)
      if (!hands.some((hand) => hand.side === side)) {
        figure.dispose();
        this.hands.delete(side);
      }
    for (const hand of hands) {
      let figure = this.hands.get(hand.side);
      if (!figure) {
        figure = new HandFigure(this.skin);
        this.hands.set(hand.side, figure);
        this.group.add(figure.group);
      }
      figure.show(hand);
      poseMatrix(hand.pose, 0, figure.group.matrix).multiply(new Matrix4().makeScale(...size.toArray())); // prettier-ignore
      figure.group.matrixWorldNeedsUpdate = true;
    }
  }

  dispose(): void {
    for (const hand of this.hands.values()) hand.dispose();
    this.label.dispose();
    for (const part of this.head.children) if (part instanceof Mesh) part.geometry.dispose();
    for (const material of [this.skin, this.glass, this.light]) material.dispose();
    this.group.removeFromParent();
  }
}

/** Makes a material translucent. */
export function fade(material: Material): void {
  material.transparent = true;
  material.opacity = OWN_OPACITY;
}

/** Whether a head is so near to one's own that it would hide everything. */
function isBefore(own: Presence, place: Vector3, scale: number): boolean {
  const nearest = Math.max(NEAREST * scale, own.headset ? 0 : NEAREST_IN_WINDOW * own.scale);
  return place.distanceTo(new Vector3(...own.head.slice(4))) < nearest;
}
