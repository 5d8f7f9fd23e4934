// What the user's hands do: take parts, press panels, choose phantoms, move the world.
import { Matrix4, Vector3 } from "three";
import { deviceOf } from "../../interact/devices/absolute.ts";
import type {
  ModelHost,
  DragHost,
  ChoiceHost,
  NoticeHost,
  PathHost,
  SceneHost,
  SimulationHost,
} from "../../store/hosts.ts";
import type { Viewer } from "../../view/viewer.ts";
import { type Aim, Aims, isBefore } from "./aims.ts";
import { takeDeclared } from "./declared.ts";
import type { Hand, Press } from "./inputs.ts";
import { type How, type Job, take } from "./jobs.ts";
import { Tow } from "./hold.ts";
import { moveWithHand, moveWithHands, type Rig, toRoom } from "../space/rig.ts";

type Host = ModelHost & DragHost & ChoiceHost & NoticeHost & PathHost & SceneHost & SimulationHost;

/** Panels in space, as far as hands know them. */
export interface PanelsInSpace {
  /** How far along the hand's ray a panel is [m of the room]; null: there is none. */
  distance(hand: Hand): number | null;
  /** Presses what the ray meets; returns what follows the hand until it lets go. */
  press(hand: Hand, button: Press["button"]): PanelJob;
  /** Opens the menu or closes it: for those who have no button for that. */
  menu(): void;
}

export interface PanelJob {
  move(hand: Hand): void;
  end(): void;
}

/** Where the user stands in the world. */
export interface Place {
  rig: Rig;
}

/** One hand and what it does. */
export interface Actor {
  readonly hand: Hand;
  aim: Aim | null;
  /** Distance of the panel under its ray; null: none. */
  panel: number | null;
  doing:
    | { kind: "part"; job: Job; by: Aim["by"]; button: Press["button"]; tow: Tow | null }
    | { kind: "panel"; job: PanelJob; button: Press["button"] }
    | { kind: "world"; button: Press["button"]; since: number; ray: Matrix4 | null }
    | null;
}

/** A stick pushes what is held along the ray: shares of its distance per second. */
const PUSH = 1.6;
const SLACK = 0.2;
/** A finger on a screen holds the world so far along its ray [m of the room]. */
const BEFORE = 0.5;
/** A tap is shorter [ms]. */
const TAP = 350;
/** A hand looks what it is at every so many frames; when it takes something, it looks again. */
const LOOK = 3;

export class Hands {
  readonly actors: Actor[] = [];
  private readonly aims: Aims;
  /** How the world was held when hands last took hold of it or let go. */
  private anchor: { rig: Rig; places: Vector3[]; hands: Hand[] } | null = null;
  private turn = 0;
  /** Trackers that could not take their frame, and the snapshot then: they say so once for each. */
  private readonly refused = new WeakMap<Hand, unknown>();

  constructor(
    private readonly studio: Host,
    private readonly viewer: Viewer,
    private readonly panels: PanelsInSpace,
    private readonly place: Place,
  ) {
    this.aims = new Aims(studio, viewer);
  }

  /** One frame: `hands` as they are now, and what was pressed since the last one. */
  update(hands: readonly Hand[], presses: readonly Press[], seconds: number): void {
    for (const hand of hands) if (!this.actorOf(hand)) this.add(hand);
    this.look();
    for (const press of presses) this.pressed(press);
    this.holdTrackers();
    const X_WR = this.X_WR();
    for (const actor of this.actors) this.move(actor, X_WR, seconds);
    this.moveWorld();
    this.show();
  }

  /** A hand is there no more: what it held stays where it is. */
  lose(hand: Hand): void {
    const actor = this.actorOf(hand);
    if (!actor) return;
    this.finish(actor, true);
    this.actors.splice(this.actors.indexOf(actor), 1);
  }

  /** Lets go of everything; poses stay. */
  release(): void {
    for (const actor of this.actors) this.finish(actor, true);
  }

  /** The room in the world, with its scale. */
  X_WR(): Matrix4 {
    const { position, quaternion, scale } = this.place.rig;
    return new Matrix4().compose(position, quaternion, new Vector3(scale, scale, scale));
  }

  /** Hands that do nothing at present. */
  get idle(): Hand[] {
    return this.actors.filter(({ doing }) => doing === null).map(({ hand }) => hand);
  }

  /** Whether the world is held at present. */
  get isWorldHeld(): boolean {
    return this.anchor !== null;
  }

  /** Looks what idle hands are at: each in some frames only, for it takes time. */
  private look(): void {
    this.turn += 1;
    this.actors.forEach((actor, i) => {
      if (actor.doing !== null) return;
      if ((this.turn + i) % LOOK === 0) this.aimWith(actor);
      else this.choose(actor);
    });
  }

  private aimWith(actor: Actor): void {
    actor.aim = this.aims.of(actor.hand, this.X_WR(), this.place.rig.scale);
    this.choose(actor);
  }

  /** A hand is at a panel, or at what is before it. */
  private choose(actor: Actor): void {
    actor.panel = this.panels.distance(actor.hand);
    if (isBefore(actor.aim, actor.panel)) actor.panel = null;
    else actor.aim = null;
  }

  private pressed({ hand, button, isDown }: Press): void {
    const actor = this.actorOf(hand);
    if (!actor) return;
    if (!isDown) {
      const { doing } = actor;
      if (doing?.button !== button) return;
      const isTap = doing.kind === "world" && performance.now() - doing.since < TAP;
      this.finish(actor, false);
      if (!isTap || this.isWorldHeld || button === "squeeze") return;
      if (!this.goAlong(doing.ray) && hand.kind === "pointer") this.panels.menu();
      return;
    }
    if (actor.doing !== null) return;
    // as it is at this moment, not as it was a frame ago
    this.aimWith(actor);
    if (actor.panel !== null) {
      actor.doing = { kind: "panel", job: this.panels.press(hand, button), button };
      return;
    }
    if (this.holdDeclared(actor, button)) return;
    const { aim } = actor;
    if (aim?.kind === "phantom" && button === "select") {
      this.viewer.choosePhantom(aim.ghost);
      return;
    }
    const tow = aim && this.towFor(hand, aim);
    const X_WH = aim && this.X_WH(hand, aim.by, this.X_WR(), tow);
    const job = aim && X_WH && take(this.studio, this.viewer, aim, this.how(button), X_WH);
    if (job && aim) actor.doing = { kind: "part", job, by: aim.by, button, tow };
    // bare hands, eyes and fingers have one button only
    else if (button === "squeeze" || hand.kind !== "controller")
      actor.doing = { kind: "world", button, since: performance.now(), ray: hand.ray };
    else if (aim === null) this.goAlong(hand.ray);
  }

  /** Goes to the point of a workspace at which a ray points. */
  private goAlong(ray: Matrix4 | null): boolean {
    return ray !== null && this.viewer.goAlong(this.X_WR().multiply(ray));
  }

  /** A hand that the file declares takes its frame, wherever it is; false: it is none of them. */
  private holdDeclared(actor: Actor, button: Press["button"]): boolean {
    const { hand } = actor;
    const data = deviceOf(hand, this.studio.snapshot?.devices ?? []);
    if (!data || button !== (data.button === "grip" ? "squeeze" : "select")) return false;
    const X_WH = this.X_WH(hand, "hand", this.X_WR());
    const job = X_WH && takeDeclared(this.studio, this.viewer.flat, data, X_WH);
    if (job) actor.doing = { kind: "part", job, by: "hand", button, tow: null };
    return true;
  }

  /** A tracker has no button: it holds its frame as long as it is tracked. */
  private holdTrackers(): void {
    const { snapshot } = this.studio;
    for (const actor of this.actors) {
      const { doing, hand } = actor;
      if (doing !== null || hand.side !== "none" || hand.kind !== "controller") continue;
      if (this.refused.get(hand) === snapshot) continue;
      if (this.holdDeclared(actor, "select") && !actor.doing) this.refused.set(hand, snapshot);
    }
  }

  private how(button: Press["button"]): How {
    if (button === "squeeze") return "pose";
    const { simulation, settings } = this.studio;
    if (simulation.isRunning) return simulation.settings.whole ? "pose" : "point";
    return settings.dragMode;
  }

  private move(actor: Actor, X_WR: Matrix4, seconds: number): void {
    const { doing, hand } = actor;
    if (doing?.kind === "panel") doing.job.move(hand);
    if (doing?.kind !== "part") return;
    // somebody else took it: a mechanism that was opened, a motion that was started
    if (doing.job.grab && !doing.job.grab.active) {
      actor.doing = null;
      return;
    }
    const y = hand.stick[1];
    if (doing.by === "ray" && Math.abs(y) > SLACK) doing.job.push(PUSH * y * seconds);
    const X_WH = this.X_WH(hand, doing.by, X_WR, doing.tow);
    if (X_WH) doing.job.move(X_WH);
  }

  /** Hand or ray in the world; null while it is not tracked. */
  private X_WH(hand: Hand, by: Aim["by"], X_WR: Matrix4, tow: Tow | null = null): Matrix4 | null {
    if (tow) return hand.grip && X_WR.clone().multiply(tow.pose(hand.grip));
    const own = by === "hand" ? hand.grip : hand.ray;
    return own && X_WR.clone().multiply(own);
  }

  /** Eyes choose what a hand pulls then; a finger on a screen points all the time. */
  private towFor({ kind, grip, ray }: Hand, { by, at }: Aim): Tow | null {
    if (kind !== "pointer" || by !== "ray" || !grip || !ray) return null;
    const eyes = new Vector3().setFromMatrixPosition(ray);
    return new Tow(grip, eyes, toRoom(this.place.rig, at));
  }

  private finish(actor: Actor, lost: boolean): void {
    const { doing } = actor;
    actor.doing = null;
    if (doing?.kind === "part") doing.job.end(lost);
    if (doing?.kind === "panel") doing.job.end();
  }

  /** The world follows hands that hold it: a grip button alone, or two hands. */
  private moveWorld(): void {
    const holding = this.actors.filter(
      ({ doing, hand }) => doing?.kind === "world" && (hand.grip ?? hand.ray),
    );
    const alone = holding.length === 1 && holding[0].hand.kind !== "controller";
    const hands = alone ? [] : holding.slice(0, 2).map(({ hand }) => hand);
    const places = hands.map(placeOf);
    if (places.length === 0) {
      this.anchor = null;
      return;
    }
    const isSame = this.anchor?.hands.length === hands.length;
    if (!isSame || hands.some((hand, i) => hand !== this.anchor!.hands[i]))
      this.anchor = { rig: this.place.rig, places, hands };
    const { rig, places: from } = this.anchor!;
    this.place.rig =
      places.length === 1
        ? moveWithHand(rig, from[0], places[0])
        : moveWithHands(rig, [from[0], from[1]], [places[0], places[1]]);
  }

  /** Lights what idle hands are at. */
  private show(): void {
    const links = this.actors.flatMap(({ aim, doing }) =>
      aim?.kind === "link" && doing?.kind !== "world" ? [aim.link] : [],
    );
    this.viewer.touched = new Set(links);
    const over = this.actors.find(({ aim, doing }) => doing === null && aim?.kind === "phantom");
    this.viewer.lightPhantom(over?.aim?.kind === "phantom" ? over.aim.ghost : null);
  }

  private actorOf(hand: Hand): Actor | undefined {
    return this.actors.find((actor) => actor.hand === hand);
  }

  private add(hand: Hand): void {
    this.actors.push({ hand, aim: null, panel: null, doing: null });
  }
}

/** Where a hand holds the world, in the room. */
function placeOf({ grip, ray }: Hand): Vector3 {
  if (grip) return new Vector3().setFromMatrixPosition(grip);
  return new Vector3(0, 0, -BEFORE).applyMatrix4(ray!);
}
