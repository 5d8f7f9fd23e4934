// Hands on a running simulation: springs that pull, tips that press, and how strongly.
import { SphereGeometry, Vector3, type Mesh, type MeshBasicMaterial } from "three";
import { PointerGrab } from "../../interact/grab.ts";
import type { NoticeHost, PeopleHost, SimulationHost } from "../../store/hosts.ts";
import { ownerOf, type Hand } from "../../store/simulation/hands.ts";
import type { LiveHand } from "../../wire/frames.ts";
import type { Label } from "../labels/labels.ts";
import { mark, plain, Polyline } from "../overlays/marks.ts";
import type { Part, ViewContext } from "../part.ts";
import { plainRay, worldRay } from "../pointing/rays.ts";
import { forceText } from "../units.ts";
import { Arrow, arrowLength } from "./arrow.ts";

/** A surface under a pixel: what it belongs to, where, and the way out of it. */
export interface Surface {
  site: string;
  point: [number, number, number];
  at: [number, number, number];
  normal: [number, number, number];
}

export interface HandsAround {
  surface(clientX: number, clientY: number): Surface | null;
  planeOf(): Vector3 | null;
}

/** Windings of a spring, and its half width in radii of the mechanism. */
const WINDINGS = 9;
const MOST = 60;
/** A winding is at most so long, in radii of the mechanism. */
const PITCH = 0.06;
const WIDTH = 0.022;
/** A finger goes so deep, in radii of the mechanism, within so long [s]. */
const DEEPEST = 0.14;
const PRESSING = 0.9;

interface Press {
  hand: Hand;
  /** The tip on the surface, led by the pointer. */
  at: Vector3;
  normal: Vector3;
  held: number;
  /** Deeper or less by the wheel. */
  factor: number;
}

/** A hand as it is drawn. */
interface Shown {
  /** What the last frame says of it. */
  row: LiveHand | undefined;
  /** Where the hand or the tip is [m]. */
  at: [number, number, number];
  isPull: boolean;
  color: string;
  /** Whose it is, with a space behind; '' for one's own. */
  name: string;
}

interface Mark {
  material: MeshBasicMaterial;
  spring: Polyline;
  arrow: Arrow;
  hold: Mesh;
  tip: Mesh;
  label: Label;
}

export class HandsView implements Part {
  private readonly ball = new SphereGeometry(1, 20, 14);
  private marks: Mark[] = [];
  private presses: Press[] = [];
  private most = 0;

  constructor(
    private readonly context: ViewContext<
      NoticeHost & SimulationHost & PeopleHost,
      "root" | "labels" | "camera" | "palette" | "extent" | "aim" | "invalidate"
    >,
    private readonly around: HandsAround,
  ) {}

  /** Takes a pointer that presses on a part, or pulls an object that moves by itself. */
  take(event: PointerEvent) {
    const { simulation, readOnly } = this.context.studio;
    if (event.button !== 0 || event.shiftKey || readOnly || !simulation.isRunning) return null;
    const found = this.around.surface(event.clientX, event.clientY);
    if (!found) return null;
    if (simulation.mode === "push") return this.press(found, event);
    return simulation.state.objects.includes(found.site) ? this.pullObject(found, event) : null;
  }

  frame(seconds: number): void {
    const { extent } = this.context;
    for (const press of this.presses) this.deepen(press, seconds);
    const shown = this.shown();
    this.most = Math.max(0.98 * this.most, ...shown.map(({ row }) => Math.hypot(...(row?.force ?? [0])))); // prettier-ignore
    shown.forEach(({ row, at, isPull, color, name }, i) => {
      const one = (this.marks[i] ??= this.mark());
      one.material.color.set(color);
      one.spring.color = name ? color : this.context.palette.ink;
      const target = new Vector3(...at);
      const place = row ? new Vector3(...row.place) : target;
      const force = row ? new Vector3(...row.force) : new Vector3();
      const strength = force.length();
      const share = this.most > 0 ? strength / this.most : 0;
      one.spring.set(isPull ? this.coil(place, target) : []);
      one.hold.visible = one.tip.visible = one.label.visible = true;
      one.hold.position.copy(place);
      one.hold.scale.setScalar(0.014 * extent);
      one.tip.position.copy(target);
      one.tip.scale.setScalar((isPull ? 0.02 : 0.026) * extent);
      const length = arrowLength(share) * extent;
      const width = 0.012 * extent;
      if (isPull) one.arrow.show(place, force, length, width);
      else if (strength > 0) {
        // a push comes from outside and ends on the surface
        one.arrow.show(
          place.clone().addScaledVector(force, -length / strength),
          force,
          length,
          width,
        );
      } else one.arrow.hide();
      one.label.text = row ? `${name}${forceText(strength)}` : "";
      one.label.at = isPull ? place.clone().lerp(target, 0.5).toArray() : target.toArray();
    });
    for (const one of this.marks.slice(shown.length)) this.hide(one);
  }

  dispose(): void {
    for (const one of this.marks) {
      one.spring.dispose();
      one.arrow.remove();
      one.hold.removeFromParent();
      one.tip.removeFromParent();
      one.label.remove();
      one.material.dispose();
    }
    this.ball.dispose();
  }

  /** One's own hands, where they are now; then those of others, as the last frame has them. */
  private shown(): Shown[] {
    const { palette, studio } = this.context;
    const { simulation } = studio;
    if (!simulation.isRunning) return [];
    const own = simulation.hands.all.map(({ number, target, normal }) => ({
      row: simulation.handRow(number),
      ...{ at: target, isPull: normal === null, color: palette.accent, name: "" },
    }));
    const people = [...studio.people.others.values()];
    const others = simulation.otherHands.map((row) => {
      const { color, name } = ownerOf(row, people);
      const isPull = row.damping > 0;
      return { row, at: row.target, isPull, color: color ?? palette.ink, name: `${name} ` };
    });
    return [...own, ...others];
  }

  private press({ site, point, at, normal }: Surface, event: PointerEvent) {
    const { simulation } = this.context.studio;
    const hand = simulation.hands.push(site, point, at, normal);
    const press: Press = {
      ...{ hand, at: new Vector3(...at), normal: new Vector3(...normal), held: 0, factor: 1 },
    };
    this.presses.push(press);
    const grab = this.grab(at, event);
    return {
      move: (e: PointerEvent) => {
        press.at.set(...(grab.target(this.ray(e)) as [number, number, number]));
        this.context.invalidate();
      },
      wheel: (step: number) => {
        press.factor = Math.min(8, Math.max(0.1, press.factor * Math.exp(-step * 0.002)));
      },
      end: () => {
        this.presses = this.presses.filter((one) => one !== press);
        simulation.hands.release(hand);
      },
    };
  }

  private pullObject({ site, point, at }: Surface, event: PointerEvent) {
    const { hands } = this.context.studio.simulation;
    const held = hands.pull(site, { site: 0, kind: "point", point, position: at });
    const grab = this.grab(at, event);
    return {
      move: (e: PointerEvent) => held.move({ position: grab.target(this.ray(e)) }),
      end: () => held.release(),
    };
  }

  private grab(at: [number, number, number], event: PointerEvent): PointerGrab {
    const view = this.context.camera.basis()[2].negate().toArray();
    const planeNormal = this.around.planeOf()?.toArray() ?? null;
    return new PointerGrab(at, this.ray(event), view, { planeNormal });
  }

  private ray(event: PointerEvent) {
    return plainRay(worldRay(this.context.aim(event.clientX, event.clientY), this.context.root));
  }

  /** The longer it is held, the deeper the tip. */
  private deepen(press: Press, seconds: number): void {
    press.held = Math.min(1, press.held + seconds / PRESSING);
    const depth = DEEPEST * this.context.extent * press.held * press.factor;
    const tip = press.at.clone().addScaledVector(press.normal, -depth);
    this.context.studio.simulation.hands.move(press.hand, tip.toArray());
    if (press.held < 1) this.context.invalidate();
  }

  /** A spring between two places, drawn flat to the eye. */
  private coil(from: Vector3, to: Vector3): number[][] {
    const way = to.clone().sub(from);
    const length = way.length();
    const { extent, camera } = this.context;
    if (length < 0.01 * extent) return [];
    const side = camera.basis()[2].clone().cross(way).normalize();
    const width = Math.min(WIDTH * extent, 0.2 * length);
    const points = [from.toArray()];
    // one that is drawn out far would be a ragged line
    const count = 2 * Math.max(WINDINGS, Math.min(MOST, Math.round(length / (PITCH * extent))));
    for (let i = 1; i < count; i++)
      points.push(
        from
          .clone()
          .addScaledVector(way, 0.12 + (0.76 * i) / count)
          .addScaledVector(side, i === 1 || i === count - 1 ? 0 : i % 2 ? width : -width)
          .toArray(),
      );
    return [...points, to.toArray()];
  }

  private mark(): Mark {
    const { root, labels, palette } = this.context;
    const material = plain(palette.accent);
    const hold = mark(this.ball, material, 9);
    const tip = mark(this.ball, material, 9);
    root.add(hold, tip);
    return {
      spring: new Polyline(root, palette.ink, 1.6),
      arrow: new Arrow(root, material, 9),
      material,
      hold,
      tip,
      label: labels.add("note"),
    };
  }

  private hide({ spring, arrow, hold, tip, label }: Mark): void {
    spring.set([]);
    arrow.hide();
    hold.visible = tip.visible = label.visible = false;
  }
}
