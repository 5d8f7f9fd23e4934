// The avatar of this page's user in the view: its mesh, the box that is carved, and the cameras.
import { Box3, Box3Helper, BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Matrix4, Vector3 } from "three"; // prettier-ignore
import { cornersAt, type PinholeCamera } from "../../kernel/hull/cameras.ts";
import type { Placement } from "../../store/avatar/placement.ts";
import type { AvatarHost } from "../../store/hosts.ts";
import type { Palette } from "../links/palette.ts";
import type { Part, ViewContext } from "../part.ts";
import { AvatarMesh } from "./colored-mesh.ts";

/** How deep a camera's pyramid is drawn, as a share of the edge of the box. */
const DEPTH = 0.16;

export class AvatarView implements Part {
  readonly group = new Group();
  private readonly body = new AvatarMesh();
  private readonly lines = new LineBasicMaterial({ transparent: true, opacity: 0.85 });
  private readonly frusta = new LineSegments(new BufferGeometry(), this.lines);
  private readonly edges = new LineBasicMaterial({ transparent: true, opacity: 0.55 });
  private readonly outline: Box3Helper;
  private cameras: readonly PinholeCamera[] | null = null;
  private key = "";

  constructor(private readonly context: ViewContext<AvatarHost, "root">) {
    this.outline = new Box3Helper(new Box3());
    (this.outline.material as LineBasicMaterial).dispose();
    this.outline.material = this.edges;
    this.group.name = "avatar";
    for (const one of [this.frusta, this.outline]) {
      one.raycast = () => undefined;
      one.frustumCulled = false;
      this.group.add(one);
    }
    this.body.mesh.name = "avatar mesh";
    this.body.mesh.matrixAutoUpdate = this.frusta.matrixAutoUpdate = false;
    this.group.add(this.body.mesh);
    context.root.add(this.group);
  }

  frame(): void {
    const { avatar } = this.context.studio;
    const { source, options, hull } = avatar;
    this.body.show(hull);
    const X_WB = placementMatrix(options.placement);
    setMatrix(this.body.mesh, X_WB);
    const shows = source !== null && options.showCameras;
    this.frusta.visible = this.outline.visible = shows;
    if (!shows) return;
    const own = source.isInScene ? new Matrix4() : X_WB;
    const key = JSON.stringify([avatar.box, own.elements]);
    if (key !== this.key) {
      this.key = key;
      this.cameras = null;
      const { box } = avatar;
      // a placement does not tilt: the box around the turned box is near enough to be read
      this.outline.box.set(new Vector3(...box.slice(0, 3)), new Vector3(...box.slice(3)));
      this.outline.box.applyMatrix4(own);
    }
    if (this.cameras !== source.cameras) {
      this.cameras = source.cameras;
      this.drawCameras(source.cameras, avatar.box);
    }
    setMatrix(this.frusta, own);
  }

  paint({ dark }: Palette): void {
    this.lines.color = new Color(dark ? "#7fb2ff" : "#2563eb");
    this.edges.color = new Color(dark ? "#8fa3bf" : "#64748b");
  }

  places(): Vector3[] {
    const { avatar } = this.context.studio;
    const { source, options } = avatar;
    if (source === null) return [];
    const box = new Box3(
      new Vector3(...avatar.box.slice(0, 3)),
      new Vector3(...avatar.box.slice(3)),
    ).applyMatrix4(placementMatrix(options.placement));
    return [box.min, box.max];
  }

  dispose(): void {
    this.body.dispose();
    this.frusta.geometry.dispose();
    this.outline.geometry.dispose();
    this.lines.dispose();
    this.edges.dispose();
    this.group.removeFromParent();
  }

  private drawCameras(cameras: readonly PinholeCamera[], box: readonly number[]): void {
    const depth = DEPTH * Math.max(...[0, 1, 2].map((i) => box[3 + i] - box[i]));
    const points = cameras.flatMap((camera) => {
      const eye = camera.pose.slice(9);
      const corners = cornersAt(camera, depth);
      const [left, right] = corners;
      // a mark on the upper edge says which way is up
      const middle = [0, 1, 2].map((i) => (left[i] + right[i]) / 2);
      const lower = corners[3];
      const top = middle.map((x, i) => x + 0.3 * (left[i] - lower[i]));
      const sides = corners.flatMap((corner, i) => [eye, corner, corner, corners[(i + 1) % 4]]);
      return [...sides, left, top, top, right].flat();
    });
    this.frusta.geometry.dispose();
    this.frusta.geometry = new BufferGeometry();
    const places = new BufferAttribute(Float32Array.from(points), 3);
    this.frusta.geometry.setAttribute("position", places);
  }
}

/** X_WB of an avatar that was placed. */
export function placementMatrix({ place, turn, scale }: Placement): Matrix4 {
  return new Matrix4()
    .makeTranslation(...place)
    .multiply(new Matrix4().makeRotationZ(turn))
    .scale(new Vector3(scale, scale, scale));
}

function setMatrix(object: { matrix: Matrix4; matrixWorldNeedsUpdate: boolean }, X: Matrix4): void {
  object.matrix.copy(X);
  object.matrixWorldNeedsUpdate = true;
}
