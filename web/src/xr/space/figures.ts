// Hands and controllers as the user sees them, with their rays and what they are at.
import {
  BufferGeometry,
  CapsuleGeometry,
  CatmullRomCurve3,
  Color,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  LatheGeometry,
  Line,
  LineBasicMaterial,
  type Material,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  type Object3D,
  Quaternion,
  RingGeometry,
  SphereGeometry,
  TorusGeometry,
  Vector2,
  Vector3,
} from "three";
import type { Palette } from "../../view/links/palette.ts";
import { mark } from "../../view/overlays/marks.ts";
import type { Actor } from "../hands/hands.ts";
import type { Hand } from "../hands/inputs.ts";

/** A ray that meets nothing is drawn this long [m]. */
const IDLE_RAY = 0.6;
const JOINTS = 25;
/** Pairs of joints with a bone between them: from the wrist along the thumb and the four fingers. */
const BONES = [1, 5, 10, 15, 20].flatMap((first, i, all) => {
  const chain = Array.from({ length: (all[i + 1] ?? JOINTS) - first }, (_, k) => first + k);
  return chain.map((joint, k) => [k ? joint - 1 : 0, joint] as const);
});

const Y = new Vector3(0, 1, 0);

/** A ray's radius at the hand [m]; it tapers to half of that. */
const THICK = 0.0022;

/** A thin tube along −z that fades: lines of one pixel are lost in a headset. */
function rayShape(): CylinderGeometry {
  const tube = new CylinderGeometry(THICK / 2, THICK, 1, 8, 1, true);
  tube.rotateX(-Math.PI / 2).translate(0, 0, -0.5);
  const { count } = tube.attributes.position;
  const isFar = (i: number): boolean => tube.attributes.position.getZ(i) < -0.5;
  const colors = Array.from({ length: count }, (_, i) => [1, 1, 1, isFar(i) ? 0.3 : 0.9]).flat();
  tube.setAttribute("color", new Float32BufferAttribute(colors, 4));
  return tube;
}

/** The handle's radius along it, from its end to the face [m]. */
const HANDLE = [
  [0, 0.062], [0.008, 0.0615], [0.0125, 0.058], [0.0145, 0.05], [0.0155, 0.03], [0.0165, 0.005],
  [0.018, -0.015], [0.021, -0.03], [0.02, -0.04], [0.012, -0.045], [0, -0.046],
]; // prettier-ignore

/** A controller: a hand is about the z axis, its thumb at −z. */
function controller(
  shell: Material,
  plate: Material,
  glass: Material,
  light: Material,
): Object3D[] {
  const profile = new CatmullRomCurve3(HANDLE.map(([r, z]) => new Vector3(r, z, 0)));
  const points = profile.getPoints(48).map(({ x, y }) => new Vector2(Math.max(0, x), y));
  const handle = new Mesh(new LatheGeometry(points.reverse(), 40), shell);
  handle.rotation.x = Math.PI / 2;
  handle.scale.set(0.92, 1, 1.12);
  // the face carries what the thumb moves, and looks back to the eyes
  const face = new Mesh(new CylinderGeometry(0.0255, 0.0235, 0.011, 48), plate);
  const rim = new Mesh(new TorusGeometry(0.0252, 0.0022, 12, 64), shell);
  rim.rotation.x = Math.PI / 2;
  rim.position.y = 0.0045;
  const well = new Mesh(new CylinderGeometry(0.0105, 0.0105, 0.001, 32), glass);
  well.position.set(-0.008, 0.0058, -0.005);
  const stem = new Mesh(new CylinderGeometry(0.004, 0.005, 0.009, 20), glass);
  stem.position.set(-0.008, 0.009, -0.005);
  const cap = new Mesh(new CylinderGeometry(0.0078, 0.0068, 0.0035, 32), glass);
  cap.position.set(-0.008, 0.0145, -0.005);
  const [upper, lower] = [-0.0035, 0.0095].map((z, i) => {
    const button = new Mesh(new CylinderGeometry(0.0042, 0.0042, 0.003, 24), i ? glass : light);
    button.position.set(0.0125 - 0.004 * i, 0.0068, z);
    return button;
  });
  const head = new Group().add(face, rim, well, stem, cap, upper, lower);
  head.position.set(0, 0.016, -0.036);
  head.rotation.x = 0.75;
  // for the forefinger, below the face; and for the others, at the side of the handle
  const trigger = new Mesh(new CapsuleGeometry(0.0068, 0.018, 8, 20), glass);
  trigger.position.set(0, -0.012, -0.05);
  trigger.rotation.x = 0.9;
  const grip = new Mesh(new CapsuleGeometry(0.0048, 0.016, 8, 16), glass);
  grip.position.set(0, -0.0165, -0.008);
  grip.rotation.x = Math.PI / 2;
  return [handle, head, trigger, grip];
}

/** Everything of one hand, in the room. */
class Figure {
  readonly group = new Group();
  private readonly body = new Group();
  private readonly joints: InstancedMesh;
  private readonly bones: InstancedMesh;
  private readonly ray: Mesh<CylinderGeometry, MeshBasicMaterial>;
  private readonly dot: Mesh;
  private readonly skin = new MeshStandardMaterial({ roughness: 0.55 });
  private readonly shell = new MeshStandardMaterial({ color: "#eceff3", roughness: 0.4 });
  private readonly plate = new MeshStandardMaterial({ color: "#323a46", roughness: 0.5 });
  private readonly glass = new MeshStandardMaterial({ color: "#12161d", roughness: 0.3 });
  private readonly light = new MeshBasicMaterial({ toneMapped: false });

  constructor() {
    this.body.add(...controller(this.shell, this.plate, this.glass, this.light));
    this.body.matrixAutoUpdate = false;
    this.joints = new InstancedMesh(new SphereGeometry(1, 20, 14), this.skin, JOINTS);
    this.bones = new InstancedMesh(new CylinderGeometry(1, 1, 1, 20), this.skin, BONES.length);
    this.joints.frustumCulled = this.bones.frustumCulled = false;
    this.ray = new Mesh(
      rayShape(),
      new MeshBasicMaterial({ vertexColors: true, transparent: true, toneMapped: false }),
    );
    this.ray.material.depthWrite = false;
    this.ray.renderOrder = 25;
    this.ray.matrixAutoUpdate = false;
    this.ray.frustumCulled = false;
    this.dot = mark(new SphereGeometry(0.006, 16, 12), this.light, 12);
    this.group.add(this.body, this.joints, this.bones, this.ray, this.dot);
    this.group.traverse((part) => (part.raycast = () => undefined));
  }

  paint(palette: Palette): void {
    this.skin.color.set(palette.dark ? "#c9ced8" : "#5b6676");
    this.light.color.set(palette.accent);
    this.ray.material.color.set(palette.accent);
  }

  /** X_RW: from the world into the room; `isRead`: its wrist is looked at, so it points at nothing. */
  show({ hand, aim, panel, doing }: Actor, X_RW: Matrix4, isRead: boolean): void {
    const isNear = aim?.by === "hand" || (doing?.kind === "part" && doing.by === "hand");
    // a headset that shows the room may draw real hands and controllers itself
    const isDrawn = !(hand.source as { skipRendering?: boolean }).skipRendering;
    this.body.visible = isDrawn && hand.kind === "controller" && hand.grip !== null;
    if (hand.grip && this.body.visible) {
      this.body.matrix.copy(hand.grip);
      this.body.matrixWorldNeedsUpdate = true;
    }
    this.showJoints(isDrawn ? hand.joints : null);
    const hasRay = hand.ray !== null && !isNear && !isRead && doing?.kind !== "world";
    this.ray.visible = hasRay && hand.kind !== "pointer";
    const length = panel ?? aim?.distance ?? IDLE_RAY;
    if (hand.ray && hasRay) {
      this.ray.matrix.copy(hand.ray).scale(new Vector3(1, 1, length));
      this.ray.matrixWorldNeedsUpdate = true;
    }
    // what is held has a mark of the view, which follows it
    const isFree = doing === null || doing.kind === "panel";
    this.dot.visible = isFree && !isRead && (aim !== null || panel !== null);
    // an idle ray carries its dot along until the hand looks again
    const along = panel ?? (aim?.by === "ray" ? aim.distance : null);
    if (along !== null && hand.ray) this.dot.position.set(0, 0, -along).applyMatrix4(hand.ray);
    else if (aim) this.dot.position.copy(aim.at).applyMatrix4(X_RW);
    this.dot.scale.setScalar(doing ? 1.5 : 1);
  }

  dispose(): void {
    this.group.removeFromParent();
    this.group.traverse((part) => {
      if (part instanceof Mesh || part instanceof Line) part.geometry.dispose();
    });
    const { skin, shell, plate, glass, light, ray } = this;
    for (const one of [skin, shell, plate, glass, light, ray.material]) one.dispose();
    this.joints.dispose();
    this.bones.dispose();
  }

  private showJoints(joints: Hand["joints"]): void {
    this.joints.visible = this.bones.visible = joints !== null;
    if (!joints) return;
    const [matrix, turn] = [new Matrix4(), new Quaternion()];
    const at = (i: number): Vector3 => new Vector3().fromArray(joints, 4 * i);
    for (let i = 0; i < JOINTS; i += 1) {
      const r = joints[4 * i + 3];
      this.joints.setMatrixAt(i, matrix.makeScale(r, r, r).setPosition(at(i)));
    }
    BONES.forEach(([from, to], i) => {
      const way = at(to).sub(at(from));
      const radius = Math.min(joints[4 * from + 3], joints[4 * to + 3]);
      const size = new Vector3(radius, way.length(), radius);
      const middle = at(from).addScaledVector(way, 0.5);
      turn.setFromUnitVectors(Y, way.normalize());
      this.bones.setMatrixAt(i, matrix.compose(middle, turn, size));
    });
    this.joints.instanceMatrix.needsUpdate = this.bones.instanceMatrix.needsUpdate = true;
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
    reading: Hand | null = null,
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
      figure.show(actor, X_RW, actor.hand === reading);
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
