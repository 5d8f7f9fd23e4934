// Automatic shapes of mechanisms that move in one plane: flat bars in layers, and pins.
// Twin of src/kinegen/mechanism/shapes/flat.py.
import * as proportion from "./proportions.ts";
import { traitsOf } from "../kernel/tables/joint-types.ts";
import { type Look, type Primitive, type Role, type ShapeModel, hasMotor } from "./data.ts";
import { type Attachment, type Plane, type Skeleton, groundLinks, standing } from "./skeleton.ts";
import { convexHull, plateAround, rotationWithZ } from "./solid.ts";
import {
  type Mat3,
  type Vec3,
  IDENTITY,
  add,
  along,
  apply,
  applyInverse,
  column,
  columns,
  cross,
  distance,
  dot,
} from "./vectors.ts";

const GROUND: Look = { role: "ground", branch: 0, tone: 0, color: null };

/** A place where links turn about each other. */
interface Pin {
  /** The place in the frame of every link that meets there [m]. */
  points: Map<number, Vec3>;
  joints: number[];
  /** The cut joint whose half it is, -1 for none: both halves are one place. */
  cut: number;
}

/** Points nearer than this share of the least distance of two pins need not be kept both. */
const SAME = 1e-3;

/** Pins that are joined as they are found: a grid finds those nearby, whatever their number. */
class Places {
  private readonly found: Pin[] = [];
  /** Which one each was joined to; itself where it was not. */
  private readonly into: number[] = [];
  /** Points in a cell of a link's frame, with the pin that they are of. */
  private readonly cells = new Map<string, [Vec3, number][]>();
  private readonly halves = new Map<number, number>();

  constructor(private readonly near: number) {}

  /** Adds a pin; it becomes one with all that share a point of a link, or a cut joint. */
  add(pin: Pin): void {
    const own = this.found.push(pin) - 1;
    this.into.push(own);
    if (pin.cut >= 0) {
      const half = this.halves.get(pin.cut);
      if (half === undefined) this.halves.set(pin.cut, own);
      else this.join(half, own);
    }
    for (const [link, p] of pin.points) {
      const cell = p.map((x) => Math.floor(x / this.near));
      let isKnown = false;
      for (let step = 0; step < 27; ++step) {
        const [x, y, z] = [step % 3, Math.floor(step / 3) % 3, Math.floor(step / 9)];
        const key = [link, cell[0] + x - 1, cell[1] + y - 1, cell[2] + z - 1].join();
        for (const [other, index] of this.cells.get(key) ?? []) {
          const apart = distance(p, other);
          if (apart < this.near) this.join(index, own);
          isKnown ||= apart < SAME * this.near;
        }
      }
      if (isKnown) continue;
      const key = [link, ...cell].join();
      const known = this.cells.get(key);
      if (known) known.push([p, own]);
      else this.cells.set(key, [[p, own]]);
    }
  }

  /** Each place once, in the order in which the last that meets there was found. */
  joined(): Pin[] {
    const members = new Map<number, Pin>();
    for (let index = this.found.length - 1; index >= 0; --index) {
      const root = this.root(index);
      const pin: Pin = members.get(root) ?? { points: new Map(), joints: [], cut: -1 };
      for (const [link, p] of this.found[index].points) pin.points.set(link, p);
      pin.joints.push(...this.found[index].joints);
      members.set(root, pin);
    }
    return [...members.values()].reverse();
  }

  private root(index: number): number {
    while (this.into[index] !== index) {
      this.into[index] = this.into[this.into[index]];
      index = this.into[index];
    }
    return index;
  }

  private join(one: number, other: number): void {
    this.into[this.root(other)] = this.root(one);
  }
}

/** Builder: links that meet in a joint lie in different layers, so that none cut each other. */
export class FlatShapes {
  private readonly shapes: Primitive[][];
  private readonly half: number;
  private readonly thickness: number;
  private readonly pins: Pin[];
  private readonly layer: number[];
  private readonly top: number;
  private readonly grounds: number[];

  constructor(
    private readonly model: ShapeModel,
    private readonly skeleton: Skeleton,
    private readonly plane: Plane,
  ) {
    this.shapes = model.data.links.map(() => []);
    this.half = proportion.FLAT_BAR_WIDTH * skeleton.unit;
    this.thickness = proportion.FLAT_BAR_THICKNESS * this.half;
    this.pins = this.findPins();
    this.layer = this.layers();
    this.top = Math.max(...this.layer);
    this.grounds = groundLinks(skeleton);
  }

  build(): Primitive[][] {
    for (const link of this.skeleton.order) this.plate(link);
    this.model.data.joints.forEach((joint, index) => {
      if (traitsOf(joint.type).isSlide) this.slider(index);
    });
    for (const pin of this.pins) this.pin(pin);
    return this.shapes;
  }

  /** Places where revolute joints coincide, with all the links that meet there. */
  private findPins(): Pin[] {
    const { joints } = this.model.data;
    const places = new Places(proportion.SAME_PLACE * this.half);
    this.skeleton.attachments.forEach((own, link) => {
      for (const a of own) {
        if (a.joint < 0 || !traitsOf(joints[a.joint].type).isHinge) continue;
        const joint = joints[a.joint];
        const place: Pin = { points: new Map([[link, a.p_LA]]), joints: [], cut: -1 };
        if (a.kind === "joint") {
          place.joints.push(a.joint);
          if (!joint.is_cut) place.points.set(joint.child, [0, 0, 0]);
        }
        if (joint.is_cut) place.cut = a.joint;
        places.add(place);
      }
    });
    return places.joined();
  }

  /** Layer of every link: the base lowest, links that meet in a pin in different ones. */
  private layers(): number[] {
    const { joints, links } = this.model.data;
    const meeting = links.map(() => new Set<number>());
    for (const pin of this.pins)
      for (const link of pin.points.keys())
        for (const other of pin.points.keys()) if (other !== link) meeting[link].add(other);
    for (const joint of joints) {
      if (!traitsOf(joint.type).moves) continue;
      meeting[joint.parent].add(joint.child);
      meeting[joint.child].add(joint.parent);
    }
    const layer: number[] = links.map((_, link) => (link === 0 ? 0 : -1));
    for (const link of this.skeleton.order.slice(1)) {
      const inboard = joints[this.skeleton.inboard[link]];
      if (!traitsOf(inboard.type).moves) {
        layer[link] = layer[inboard.parent];
        continue;
      }
      const taken = new Set([...meeting[link]].map((other) => layer[other]));
      layer[link] = 1;
      while (taken.has(layer[link])) layer[link] += 1;
    }
    return layer;
  }

  private look(link: number, role: Role): Look {
    const { branch, tone } = this.skeleton;
    return { role, branch: branch[link], tone: tone[link], color: null };
  }

  /** Normal of the plane in the link's frame. */
  private normal(link: number): Vec3 {
    return applyInverse(this.skeleton.Rs_WL[link], this.plane.normal);
  }

  /** The point of the link's frame over p in a layer. */
  private lifted(link: number, p: Vec3, layer: number): Vec3 {
    const p_W = add(this.skeleton.ps_WL[link], apply(this.skeleton.Rs_WL[link], p));
    // The stack lies around the plane, so that frames drawn in it are near their links.
    const height =
      this.plane.height + (layer - this.top / 2) * proportion.LAYER_STEP * this.thickness;
    return along(p, this.normal(link), height - dot(p_W, this.plane.normal));
  }

  /** The flat body of a link around all that is attached to it. */
  private plate(link: number): void {
    const own = this.skeleton.attachments[link];
    if (this.grounds.includes(link)) {
      for (const one of standing(this.model, this.skeleton, link)) this.ground(link, one);
      return;
    }
    const layer = this.layer[link];
    const points = own.map((a) => this.lifted(link, a.p_LA, layer));
    const start = this.lifted(link, [0, 0, 0], layer);
    points.push(start);
    const slides = traitsOf(this.model.data.joints[this.skeleton.inboard[link]].type).isSlide;
    if (slides && points.every((p) => distance(p, start) < this.half)) return;
    const look = this.look(link, "bar");
    this.shapes[link].push(plateAround(points, this.normal(link), this.half, this.thickness, look));
  }

  /** Feet under the joints of a robot on the ground, and bars between them. */
  private ground(link: number, own: Attachment[]): void {
    const normal = this.normal(link);
    const points = own
      .filter((a) => traitsOf(this.model.data.joints[a.joint].type).isHinge)
      .map((a) => this.lifted(link, a.p_LA, 0));
    for (const point of points)
      this.shapes[link].push(
        plateAround([point], normal, proportion.GROUND_PAD * this.half, this.thickness, GROUND),
      );
    const R = rotationWithZ(normal);
    const flat = points.map((p) => applyInverse(R, p));
    const hull = convexHull(flat.map((p) => [p[0], p[1]]));
    if (hull.length < 2) return;
    const height = flat.reduce((sum, p) => sum + p[2], 0) / flat.length;
    const corners = hull.map(([x, y]) => apply(R, [x, y, height]));
    const edges = corners.length === 2 ? 1 : corners.length;
    for (let i = 0; i < edges; i++) {
      const ends = [corners[i], corners[(i + 1) % corners.length]];
      this.shapes[link].push(
        plateAround(
          ends,
          normal,
          proportion.GROUND_BAR * this.half,
          proportion.GROUND_BAR_THICKNESS * this.thickness,
          GROUND,
        ),
      );
    }
  }

  /** A pin through all layers that meet; with a motor a drum on top of it. */
  private pin(pin: Pin): void {
    const met = [...pin.points.keys()];
    const lower = (a: number, b: number) => this.layer[a] - this.layer[b] || a - b;
    const link = met.reduce((best, one) => (lower(one, best) < 0 ? one : best));
    const p = pin.points.get(link)!;
    const layers = met.map((other) => this.layer[other]);
    const [low, high] = [Math.min(...layers), Math.max(...layers)];
    this.post(
      link,
      p,
      low - proportion.PIN_BELOW,
      high + proportion.PIN_ABOVE,
      proportion.PIN_RADIUS * this.half,
      "joint",
    );
    if (pin.joints.some((joint) => hasMotor(this.model, joint))) {
      const top = high + proportion.MOTOR_BASE;
      this.post(
        link,
        p,
        top,
        top + proportion.MOTOR_HEIGHT,
        proportion.MOTOR_RADIUS * this.half,
        "joint",
      );
      this.post(
        link,
        p,
        top + proportion.MOTOR_RING_START,
        top + proportion.MOTOR_RING_END,
        proportion.MOTOR_RING_RADIUS * this.half,
        "motor",
      );
    }
  }

  /** A round pin from one layer height to another. */
  private post(link: number, p: Vec3, bottom: number, top: number, radius: number, role: Role) {
    this.shapes[link].push({
      kind: "cylinder",
      radius,
      length: (top - bottom) * proportion.LAYER_STEP * this.thickness,
      rotation: rotationWithZ(this.normal(link)),
      translation: this.lifted(link, p, (top + bottom) / 2),
      ...this.look(link, role),
    });
  }

  /** A rail on the parent along the joint's axis, and the carriage on the child. */
  private slider(index: number): void {
    const { half, thickness } = this;
    const joint = this.model.data.joints[index];
    const link = joint.parent;
    const a = this.attachment(link, "joint", index);
    const travel = this.skeleton.travels.get(index) ?? 0;
    const normal = this.normal(link);
    const middle = this.lifted(link, along(a.p_LA, a.z_LA, 0.5 * travel), this.layer[link]);
    const R = columns(cross(normal, a.z_LA), normal, a.z_LA);
    const length = Math.abs(travel) + proportion.OVERRUN * half;
    const role = this.grounds.includes(link) ? "ground" : "bar";
    this.box(link, R, middle, [proportion.FLAT_RAIL_WIDTH * half, thickness, length], role);
    for (const side of [-1, 1]) {
      const motor = hasMotor(this.model, index) && side < 0;
      const end = along(middle, a.z_LA, side * 0.5 * length);
      this.box(
        link,
        R,
        end,
        [
          proportion.FLAT_STOP_WIDTH * half,
          proportion.FLAT_STOP_THICKNESS * thickness,
          proportion.FLAT_STOP_LENGTH * half,
        ],
        motor ? "motor" : role,
      );
    }
    if (joint.is_cut) {
      const landing = this.attachment(joint.child, "closure", index);
      this.carriage(joint.child, landing.R_LA, landing.p_LA);
    } else {
      this.carriage(joint.child, IDENTITY, [0, 0, 0]);
    }
  }

  private attachment(link: number, kind: Attachment["kind"], joint: number): Attachment {
    return this.skeleton.attachments[link].find((a) => a.kind === kind && a.joint === joint)!;
  }

  private carriage(child: number, R_LM: Mat3, p_LM: Vec3): void {
    const normal = this.normal(child);
    const z = column(R_LM, 2);
    const R = columns(cross(normal, z), normal, z);
    const middle = this.lifted(child, p_LM, this.layer[child] - proportion.SLIDER_LAYER);
    const size: Vec3 = [
      proportion.SLIDER_WIDTH * this.half,
      proportion.SLIDER_THICKNESS * this.thickness,
      proportion.SLIDER_LENGTH * this.half,
    ];
    this.box(child, R, middle, size, "joint");
  }

  private box(link: number, rotation: Mat3, translation: Vec3, size: Vec3, role: Role): void {
    this.shapes[link].push({ kind: "box", size, rotation, translation, ...this.look(link, role) });
  }
}
