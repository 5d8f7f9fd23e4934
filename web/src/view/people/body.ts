// The body of a person in a running world: capsules from the neck down to the feet.
import { Color, CylinderGeometry, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three"; // prettier-ignore
import { fade } from "./avatar.ts";

/** Numbers of a capsule: both ends, radius, brightness. */
const CAPSULE = 8;
/** Capsules of a person at most. */
const MOST = 48;

export class BodyFigure {
  readonly group = new Group();
  private readonly material = new MeshStandardMaterial({ roughness: 0.62 });
  private readonly tubes = new InstancedMesh(
    new CylinderGeometry(1, 1, 1, 20, 1, true),
    this.material,
    MOST,
  );
  private readonly ends = new InstancedMesh(new SphereGeometry(1, 20, 14), this.material, 2 * MOST);

  constructor() {
    for (const mesh of [this.tubes, this.ends]) {
      mesh.raycast = () => undefined;
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      this.group.add(mesh);
    }
  }

  /** Lets others be seen through oneself. */
  fade(): void {
    fade(this.material);
  }

  show(body: readonly number[], color: string): void {
    const count = Math.min(MOST, Math.floor(body.length / CAPSULE));
    const [matrix, turn, size] = [new Matrix4(), new Quaternion(), new Vector3()];
    const [y, whole] = [new Vector3(0, 1, 0), new Color(color)];
    for (let i = 0; i < count; i += 1) {
      const row = body.slice(CAPSULE * i, CAPSULE * (i + 1));
      const [start, end] = [new Vector3().fromArray(row), new Vector3().fromArray(row, 3)];
      const [radius, shade] = [row[6], row[7]];
      const along = end.clone().sub(start);
      const length = along.length();
      const look = whole.clone().multiplyScalar(shade);
      turn.setFromUnitVectors(y, length > 1e-9 ? along.divideScalar(length) : y);
      const middle = start.clone().lerp(end, 0.5);
      this.tubes.setMatrixAt(i, matrix.compose(middle, turn, size.set(radius, length, radius)));
      this.tubes.setColorAt(i, look);
      [start, end].forEach((place, k) => {
        this.ends.setMatrixAt(2 * i + k, matrix.compose(place, turn, size.setScalar(radius)));
        this.ends.setColorAt(2 * i + k, look);
      });
    }
    this.tubes.count = count;
    this.ends.count = 2 * count;
    for (const mesh of [this.tubes, this.ends]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const mesh of [this.tubes, this.ends]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.material.dispose();
    this.group.removeFromParent();
  }
}
