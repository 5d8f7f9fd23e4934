// Another person whom cameras see: their body as a coloured mesh, and a name above.
import { Group, Vector3 } from "three";
import type { PersonSeen } from "../../wire/messages.ts";
import type { BodyMesh } from "../../wire/body-frame.ts";
import { AvatarMesh } from "../avatar/colored-mesh.ts";
import { NameLabel } from "./label.ts";

/** Height of the name, and its way above the head, as shares of the body's height. */
const NAME = 0.045;
const ABOVE = 0.06;

export class MeshFigure {
  readonly group = new Group();
  private readonly body = new AvatarMesh();
  private readonly label = new NameLabel();

  constructor() {
    this.group.add(this.body.mesh, this.label.sprite);
  }

  /** `up`: of the world. */
  show({ person, color }: PersonSeen, body: BodyMesh, up: Vector3): void {
    this.body.show(body);
    this.label.show(person.name, color);
    const { geometry } = this.body.mesh;
    if (geometry.boundingBox === null) geometry.computeBoundingBox();
    const box = geometry.boundingBox!;
    const middle = box.getCenter(new Vector3());
    const size = box.getSize(new Vector3());
    const tall = Math.max(size.length() / 2, 1e-9);
    // the highest point along what is up, above the middle of the body
    const rise = (Math.abs(up.x) * size.x + Math.abs(up.y) * size.y + Math.abs(up.z) * size.z) / 2;
    this.label.sprite.position.copy(middle).addScaledVector(up, rise + ABOVE * tall);
    const { x, y } = this.label.sprite.scale;
    const height = 2 * NAME * tall;
    this.label.sprite.scale.set((x / y) * height, height, 1);
  }

  dispose(): void {
    this.body.dispose();
    this.label.dispose();
    this.group.removeFromParent();
  }
}
