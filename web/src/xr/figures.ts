// Hands and controllers as the user sees them, with their rays and what they are at.
import {
  BufferGeometry,
  CapsuleGeometry,
  Color,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  RingGeometry,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import type { Palette } from "../view/links/palette.ts";
import { mark } from "../view/overlays/marks.ts";
import type { Actor } from "./hands.ts";
import type { Hand } from "./inputs.ts";

/** A ray that meets nothing is drawn this long [m]. */
const IDLE_RAY = 0.6;
const JOINTS = 25;

/** Everything of one hand, in the room. */
class Figure {
  readonly group = new Group();
  private readonly body = new Group();
  private readonly joints: InstancedMesh;
  private readonly ray: Line<BufferGeometry, LineBasicMaterial>;
  private readonly dot: Mesh;
  private readonly skin = new MeshStandardMaterial({ roughness: 0.55 });
  private readonly light = new MeshBasicMaterial({ toneMapped: false });

  constructor() {
    const handle = new Mesh(new CapsuleGeometry(0.017, 0.075, 4, 16), this.skin);
    handle.rotation.x = Math.PI / 2 - 0.5;
    handle.position.set(0, -0.012, 0.035);
    const ring = new Mesh(new TorusGeometry(0.034, 0.006, 8, 28), this.skin);
    ring.rotation.x = Math.PI / 2 - 0.35;
    ring.position.set(0, 0.008, -0.03);
    const tip = new Mesh(new SphereGeometry(0.008, 16, 12), this.light);
    this.body.add(handle, ring, tip);
    this.body.matrixAutoUpdate = false;
    this.joints = new InstancedMesh(new SphereGeometry(1, 14, 10), this.skin, JOINTS);
    this.joints.frustumCulled = false;
    const line = new BufferGeometry();
    line.setAttribute("position", new Float32BufferAttribute([0, 0, 0, 0, 0, -1], 3));
    line.setAttribute("color", new Float32BufferAttribute([1, 1, 1, 1, 1, 1, 1, 0], 4));
    this.ray = new Line(
      line,
      new LineBasicMaterial({ vertexColors: true, transparent: true, toneMapped: false }),
    );
    this.ray.matrixAutoUpdate = false;
    this.ray.frustumCulled = false;
    this.dot = mark(new SphereGeometry(0.006, 16, 12), this.light, 12);
    for (const part of [handle, ring, tip, this.joints, this.ray]) part.raycast = () => undefined;
    this.group.add(this.body, this.joints, this.ray, this.dot);
  }

  paint(palette: Palette): void {
    this.skin.color.set(palette.dark ? "#c9ced8" : "#4d5664");
    this.light.color.set(palette.accent);
    this.ray.material.color.set(palette.accent);
  }

  /** X_RW: from the world into the room. */
  show({ hand, aim, panel, doing }: Actor, X_RW: Matrix4): void {
    const isNear = aim?.by === "hand" || (doing?.kind === "part" && doing.by === "hand");
    this.body.visible = hand.kind === "controller" && hand.grip !== null;
    if (hand.grip && this.body.visible) {
      this.body.matrix.copy(hand.grip);
      this.body.matrixWorldNeedsUpdate = true;
    }
    this.showJoints(hand);
    const hasRay = hand.ray !== null && !isNear && doing?.kind !== "world";
    this.ray.visible = hasRay && hand.kind !== "pointer";
    const length = panel ?? aim?.distance ?? IDLE_RAY;
    if (hand.ray && hasRay) {
      this.ray.matrix.copy(hand.ray).scale(new Vector3(1, 1, length));
      this.ray.matrixWorldNeedsUpdate = true;
    }
    this.dot.visible = (aim !== null || panel !== null) && doing?.kind !== "world";
    // an idle ray carries its dot along until the hand looks again
    const along = panel ?? (aim?.by === "ray" && !doing ? aim.distance : null);
    if (along !== null && hand.ray) this.dot.position.set(0, 0, -along).applyMatrix4(hand.ray);
    else if (aim) this.dot.position.copy(aim.at).applyMatrix4(X_RW);
    this.dot.scale.setScalar(doing ? 1.5 : 1);
  }

  dispose(): void {
    this.group.removeFromParent();
    this.group.traverse((part) => {
      if (part instanceof Mesh || part instanceof Line) part.geometry.dispose();
    });
    for (const material of [this.skin, this.light, this.ray.material]) material.dispose();
    this.joints.dispose();
  }

  private showJoints({ joints }: Hand): void {
    this.joints.visible = joints !== null;
    if (!joints) return;
    const matrix = new Matrix4();
    for (let i = 0; i < JOINTS; i += 1) {
      const [x, y, z, r] = joints.subarray(4 * i, 4 * i + 4);
      matrix.makeScale(r, r, r).setPosition(x, y, z);
      this.joints.setMatrixAt(i, matrix);
    }
    this.joints.instanceMatrix.needsUpdate = true;
  }
}

/** All hands, and the place that a stick aims at. */
export class Figures {
  readonly group = new Group();
  private readonly known = new Map<Hand, Figure>();
  private readonly way: Line<BufferGeometry, LineBasicMaterial>;
  private readonly spot: Mesh<RingGeometry, MeshBasicMaterial>;
  private readonly color = new Color();

  constructor() {
    const flat = { toneMapped: false, transparent: true, opacity: 0.9 };
    this.way = new Line(new BufferGeometry(), new LineBasicMaterial(flat));
    this.way.frustumCulled = false;
    this.spot = new Mesh(new RingGeometry(0.16, 0.2, 48), new MeshBasicMaterial(flat));
    this.spot.position.z = 0.01;
    this.way.raycast = this.spot.raycast = () => undefined;
    this.group.add(this.way, this.spot);
  }

  show(
    actors: readonly Actor[],
    X_WR: Matrix4,
    palette: Palette,
    aimed: readonly Vector3[] | null,
  ): void {
    for (const [hand, figure] of this.known)
      if (!actors.some((actor) => actor.hand === hand)) {
        figure.dispose();
        this.known.delete(hand);
      }
    const X_RW = X_WR.clone().invert();
    for (const actor of actors) {
      let figure = this.known.get(actor.hand);
      if (!figure) {
        figure = new Figure();
        this.known.set(actor.hand, figure);
        this.group.add(figure.group);
      }
      figure.paint(palette);
      figure.show(actor, X_RW);
    }
    this.way.visible = this.spot.visible = aimed !== null;
    if (!aimed) return;
    this.color.set(palette.accent);
    this.way.material.color.copy(this.color);
    this.spot.material.color.copy(this.color);
    this.way.geometry.setFromPoints([...aimed]);
    this.spot.position.copy(aimed.at(-1)!).setZ(0.01);
  }

  dispose(): void {
    for (const figure of this.known.values()) figure.dispose();
    this.known.clear();
    this.group.removeFromParent();
    for (const part of [this.way, this.spot]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}
