// What the user's hands do: take parts, press panels, choose phantoms, move the world.
import { Matrix4, Vector3 } from "three";
import type { ViewHost } from "../store/hosts.ts";
import type { Viewer } from "../view/viewer.ts";
import { type Aim, Aims } from "./aims.ts";
import type { Hand, Press } from "./inputs.ts";
import { type How, type Job, take } from "./jobs.ts";
import { moveWithHand, moveWithHands, type Rig } from "./rig.ts";

/** Panels in space, as far as hands know them. */
export interface PanelsInSpace {
  /** How far along the hand's ray a panel is [m of the room]; null: there is none. */
  distance(hand: Hand): number | null;
  /** Presses what the ray meets; returns what follows the hand until it lets go. */
  press(hand: Hand, button: Press["button"]): PanelJob;
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
    | { kind: "part"; job: Job; by: Aim["by"]; button: Press["button"] }
    | { kind: "panel"; job: PanelJob; button: Press["button"] }
    | { kind: "world"; button: Press["button"] }
    | null;
}

/** A stick pushes what is held along the ray: shares of its distance per second. */
const PUSH = 1.6;
const SLACK = 0.2;
/** A hand looks what it is at every so many frames; when it takes something, it looks again. */
const LOOK = 3;

export class Hands {
  readonly actors: Actor[] = [];
  private readonly aims: Aims;
  /** How the world was held when hands last took hold of it or let go. */
  private anchor: { rig: Rig; places: Vector3[]; key: string } | null = null;
  private turn = 0;

  constructor(
    private readonly studio: ViewHost,
    private readonly viewer: Viewer,
    private readonly panels: PanelsInSpace,
    private readonly place: Place,
  ) {
    this.aims = new Aims(viewer);
  }

  /** One frame: `hands` as they are now, and what was pressed since the last one. */
  update(hands: readonly Hand[], presses: readonly Press[], seconds: number): void {
    for (const hand of hands) if (!this.actorOf(hand)) this.add(hand);
    this.look();
    for (const press of presses) this.pressed(press);
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
      actor.panel = this.panels.distance(actor.hand);
      if (actor.panel !== null) actor.aim = null;
      else if ((this.turn + i) % LOOK === 0) this.aimWith(actor);
    });
  }

  private aimWith(actor: Actor): void {
    actor.aim = this.aims.of(actor.hand, this.X_WR(), this.place.rig.scale);
  }

  private pressed({ hand, button, isDown }: Press): void {
    const actor = this.actorOf(hand);
    if (!actor) return;
    if (!isDown) {
      if (actor.doing?.button === button) this.finish(actor, false);
      return;
    }
    if (actor.doing !== null) return;
    actor.panel = this.panels.distance(hand);
    if (actor.panel !== null) {
      actor.doing = { kind: "panel", job: this.panels.press(hand, button), button };
      return;
    }
    // as it is at this moment, not as it was a frame ago
    this.aimWith(actor);
    const { aim } = actor;
    if (aim?.kind === "phantom" && button === "select") {
      this.viewer.choosePhantom(aim.ghost);
      return;
    }
    const X_WH = aim && this.X_WH(hand, aim.by, this.X_WR());
    const job = aim && X_WH && take(this.studio, this.viewer.flat, aim, this.how(button), X_WH);
    if (job && aim) actor.doing = { kind: "part", job, by: aim.by, button };
    // a bare hand has one button only
    else if (button === "squeeze" || hand.kind === "tracked")
      actor.doing = { kind: "world", button };
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
    const X_WH = this.X_WH(hand, doing.by, X_WR);
    if (X_WH) doing.job.move(X_WH);
  }

  /** Hand or ray in the world; null while it is not tracked. */
  private X_WH(hand: Hand, by: Aim["by"], X_WR: Matrix4): Matrix4 | null {
    const own = by === "hand" ? hand.grip : hand.ray;
    return own && X_WR.clone().multiply(own);
  }

  private finish(actor: Actor, lost: boolean): void {
    const { doing } = actor;
    actor.doing = null;
    if (doing?.kind === "part") doing.job.end(lost);
    if (doing?.kind === "panel") doing.job.end();
  }

  /** The world follows hands that hold it: a grip button alone, or two hands. */
  private moveWorld(): void {
    const holding = this.actors.filter(({ doing, hand }) => doing?.kind === "world" && hand.grip);
    const alone = holding.length === 1 && holding[0].hand.kind === "tracked";
    const held = alone ? [] : holding.slice(0, 2);
    const places = held.map(({ hand }) => new Vector3().setFromMatrixPosition(hand.grip!));
    const key = held.map(({ hand }) => `${hand.side}${hand.kind}`).join();
    if (places.length === 0) {
      this.anchor = null;
      return;
    }
    if (this.anchor?.key !== key) this.anchor = { rig: this.place.rig, places, key };
    const { rig, places: from } = this.anchor;
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
