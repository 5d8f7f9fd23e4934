// All panels in space: opened in front of the user, pressed by rays, carried and pinned; the menu is
// also at the wrist.
import { Group, Matrix4, Quaternion, Ray, Vector3 } from "three";
import type { StudioHost } from "../../store/hosts.ts";
import type { Palette } from "../../view/links/palette.ts";
import type { PanelJob, PanelsInSpace } from "../hands.ts";
import type { Hand, Press } from "../inputs.ts";
import type { Head } from "../rig.ts";
import { Panel, WIDE } from "./panel.ts";
import type { Box } from "./rows.ts";
import { menuSheet, type PanelName, SHEETS, type Visitor } from "./sheets.ts";

/** A new panel is so far in front of the eyes, and so far below them [m]. */
const AWAY = 0.65;
const BELOW = 0.22;
/** Panels stand about the user, left and right of what is in front [rad]. */
const ASIDE = 0.52;
const BESIDE = (1.12 * WIDE) / AWAY;
/** The menu at the wrist: its size, and how far its face may turn away from the eyes. */
const WRIST = 0.42;
const FACING = 0.55;

/** In the axes of a grip: above the hand, tilted towards the eyes. */
const X_GM = new Matrix4()
  .makeRotationFromQuaternion(new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), -1.1))
  .setPosition(0, 0.12, 0.02);

export class Panels implements PanelsInSpace {
  readonly group = new Group();
  readonly open = new Map<string, Panel>();
  private readonly wrist: Panel;
  private wristHand: Hand | null = null;
  private X_WR = new Matrix4();

  constructor(
    private readonly studio: StudioHost,
    private readonly visitor: Omit<Visitor, "isOpen" | "toggle">,
    private readonly head: () => Head | null,
    /** A hand has pressed something. */
    private readonly felt: (hand: Hand) => void,
  ) {
    this.wrist = new Panel("wrist", () => this.menu(), WRIST, false);
    this.wrist.mesh.visible = false;
    this.group.add(this.wrist.mesh);
  }

  /** Opens the panel of a subject in front of the user, or closes it. */
  toggle(name: PanelName | "Menu"): void {
    const known = this.open.get(name);
    if (known) return this.close(known);
    const head = this.head();
    if (!head) return;
    const source = name === "Menu" ? () => this.menu() : () => SHEETS[name](this.studio);
    const panel = new Panel(name, source);
    this.put(panel, head);
    this.open.set(name, panel);
    this.group.add(panel.mesh);
  }

  /** Before a picture: follows wrist and world, paints what has changed; `idle` hands do nothing. */
  update(hands: readonly Hand[], idle: readonly Hand[], palette: Palette, X_WR: Matrix4): void {
    this.X_WR = X_WR.clone();
    const X_RW = X_WR.clone().invert();
    this.follow(hands, idle);
    for (const panel of [...this.open.values(), this.wrist])
      if (panel.mesh.visible) panel.update(palette, X_RW);
    const pointing = hands.map((hand) => this.met(hand));
    for (const panel of this.all()) {
      const over = pointing.find((one) => one?.panel === panel);
      panel.look.hover = over ? panel.boxAt(over.x, over.y) : null;
    }
  }

  distance(hand: Hand): number | null {
    return this.met(hand)?.distance ?? null;
  }

  press(hand: Hand, button: Press["button"]): PanelJob {
    const met = this.met(hand);
    const nothing = { move: () => undefined, end: () => undefined };
    if (!met) return nothing;
    const { panel, x, y } = met;
    const box = panel.boxAt(x, y);
    if (panel !== this.wrist && (button === "squeeze" || box?.kind === "head"))
      return this.carry(panel, hand);
    if (!box || button === "squeeze") return nothing;
    this.felt(hand);
    if (box.kind === "close") this.close(panel);
    else if (box.kind === "pin") this.pin(panel);
    else return this.slide(panel, box, x);
    return nothing;
  }

  /** All menus and panels that can be pressed now. */
  all(): Panel[] {
    return [...this.open.values(), ...(this.wrist.mesh.visible ? [this.wrist] : [])];
  }

  dispose(): void {
    for (const panel of [...this.open.values(), this.wrist]) panel.dispose();
    this.open.clear();
    this.group.removeFromParent();
  }

  private menu() {
    return menuSheet(this.studio, {
      ...this.visitor,
      scaleText: this.visitor.scaleText,
      paceText: this.visitor.paceText,
      isOpen: (name) => this.open.has(name),
      toggle: (name) => this.toggle(name),
    });
  }

  /** Before the user, beside the mechanism and those that are there already. */
  private put(panel: Panel, { place, ahead }: Head): void {
    const taken = this.open.size;
    const side = (taken % 2 ? -1 : 1) * (ASIDE + Math.floor(taken / 2) * BESIDE);
    const way = ahead.clone().applyAxisAngle(new Vector3(0, 0, 1), side);
    const at = place.clone().addScaledVector(way, AWAY);
    at.z -= BELOW;
    panel.X_RP.lookAt(place, at, new Vector3(0, 0, 1)).setPosition(at);
  }

  private close(panel: Panel): void {
    if (panel === this.wrist) return;
    this.open.delete(panel.name);
    panel.dispose();
  }

  /** Stays with the mechanism, or comes along with the user again. */
  private pin(panel: Panel): void {
    if (panel === this.wrist) return;
    panel.X_WP = panel.X_WP ? null : this.X_WR.clone().multiply(panel.X_RP);
    panel.look.isPinned = panel.X_WP !== null;
  }

  private carry(panel: Panel, hand: Hand): PanelJob {
    const start = hand.grip ?? hand.ray;
    const X_HP = start?.clone().invert().multiply(panel.X_RP);
    return {
      move: (now) => {
        const own = now.grip ?? now.ray;
        if (!own || !X_HP) return;
        panel.X_RP.multiplyMatrices(own, X_HP);
        if (panel.X_WP) panel.X_WP.multiplyMatrices(this.X_WR, panel.X_RP);
      },
      end: () => undefined,
    };
  }

  private slide(panel: Panel, box: Box, x: number): PanelJob {
    panel.look.pressed = box;
    panel.press(box, x);
    return {
      move: (hand) => {
        const ray = rayOf(hand);
        const at = ray && panel.meet(ray);
        if (at) panel.slide(box, at.x);
      },
      end: () => {
        panel.look.pressed = null;
        panel.commit(box);
      },
    };
  }

  /** The nearest panel under a hand's ray; its own wrist is none. */
  private met(hand: Hand): { panel: Panel; x: number; y: number; distance: number } | null {
    const ray = rayOf(hand);
    if (!ray) return null;
    let best: ReturnType<Panels["met"]> = null;
    for (const panel of this.all()) {
      if (panel === this.wrist && hand === this.wristHand) continue;
      const at = panel.meet(ray);
      if (at && (best === null || at.distance < best.distance)) best = { panel, ...at };
    }
    return best;
  }

  /** The menu is at the left wrist while that hand does nothing and its face is turned to the eyes. */
  private follow(hands: readonly Hand[], idle: readonly Hand[]): void {
    const hand = hands.find(({ side, grip }) => side === "left" && grip) ?? null;
    const head = this.head();
    this.wristHand = hand;
    this.wrist.mesh.visible = false;
    if (!hand?.grip || !head || hands.length < 2 || !idle.includes(hand)) return;
    this.wrist.X_RP.multiplyMatrices(hand.grip, X_GM);
    const face = new Vector3(0, 0, 1).transformDirection(this.wrist.X_RP);
    const toEyes = head.place.clone().sub(new Vector3().setFromMatrixPosition(this.wrist.X_RP));
    const isNear = toEyes.length() < 0.75;
    this.wrist.mesh.visible = isNear && face.dot(toEyes.normalize()) > FACING;
  }
}

/** Where a hand points, in the room. */
function rayOf({ ray }: Hand): Ray | null {
  if (!ray) return null;
  const direction = new Vector3(0, 0, -1).transformDirection(ray);
  return new Ray(new Vector3().setFromMatrixPosition(ray), direction);
}
