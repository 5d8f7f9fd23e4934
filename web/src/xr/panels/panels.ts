// All panels in space: opened in front of the user, pressed by rays, carried and pinned; a small
// menu is also at the wrists.
import { Group, Matrix4, Ray, Vector3 } from "three";
import type { StudioHost } from "../../store/hosts.ts";
import type { Palette } from "../../view/links/palette.ts";
import type { PanelJob, PanelsInSpace } from "../hands/hands.ts";
import type { Hand, Press } from "../hands/inputs.ts";
import { Panel, WIDE } from "./panel.ts";
import { edgeOf, freePlace, isHidden, placesOf, type Sight } from "./places.ts";
import type { Box } from "./rows.ts";
import { menuSheet, type PanelName, SHEETS, type Visitor, wristSheet } from "./sheets.ts";
import { isRead, menuAt, wristOf } from "./wrist.ts";

/** Room for a panel whose rows become more [m]. */
const ROOM = [WIDE, WIDE] as const;
/** A panel before another one is nearer by this share of its distance. */
const NEARER = 0.15;
/** Size of the menu at a wrist. */
const WRIST = 0.42;

export class Panels implements PanelsInSpace {
  readonly group = new Group();
  /** In the order in which they were opened. */
  readonly open = new Map<string, Panel>();
  readonly wrist: Panel;
  /** Whose menu is shown; null: none. */
  wristHand: Hand | null = null;
  private X_WR = new Matrix4();
  /** Which panel may be painted first in the next frame. */
  private turn = 0;

  constructor(
    private readonly studio: StudioHost,
    private readonly visitor: Omit<Visitor, "isOpen" | "toggle">,
    private readonly sight: () => Sight | null,
    /** A hand has pressed something. */
    private readonly felt: (hand: Hand) => void,
  ) {
    const menu = (): void => this.toggle("Menu");
    this.wrist = new Panel(
      "wrist",
      () => wristSheet(studio, visitor, this.open.has("Menu"), menu),
      WRIST,
    );
    this.wrist.mesh.visible = false;
    this.group.add(this.wrist.mesh);
  }

  /** Opens the panel of a subject in front of the user, or closes it. */
  toggle(name: PanelName | "Menu"): void {
    const known = this.open.get(name);
    if (known) return this.close(known);
    const sight = this.sight();
    if (!sight) return;
    const source = name === "Menu" ? () => this.menuRows() : () => SHEETS[name](this.studio);
    const panel = new Panel(name, source);
    const X_RP = this.placeFor(sight);
    panel.stand(X_RP, ROOM[1], edgeOf(sight, X_RP));
    this.open.set(name, panel);
    this.group.add(panel.mesh);
  }

  /** Before a picture: follows wrist and world, paints what has changed; `idle` hands do nothing. */
  update(
    hands: readonly Hand[],
    idle: readonly Hand[],
    palette: Palette,
    X_WR: Matrix4,
    now: number,
  ): void {
    this.X_WR = X_WR.clone();
    const X_RW = X_WR.clone().invert();
    this.follow(idle);
    const pointing = hands.map((hand) => this.met(hand));
    const all = this.all();
    for (const panel of all) {
      const over = pointing.find((one) => one?.panel === panel);
      panel.look.hover = over ? panel.boxAt(over.x, over.y) : null;
    }
    // uploads take time: one panel is painted in a frame, each in its turn
    let mayPaint = true;
    for (let i = 0; i < all.length; i += 1) {
      const at = (this.turn + i) % all.length;
      if (!all[at].update(palette, X_RW, now, mayPaint)) continue;
      mayPaint = false;
      this.turn = at + 1;
    }
  }

  /** Panels that move along with the user are lifted with the seat [m]. */
  raise(by: number): void {
    for (const { X_RP, X_WP } of this.open.values()) if (!X_WP) X_RP.elements[14] += by;
  }

  /** The room's origin has moved: panels that move along with the user stay where they are seen. */
  recentre(X_NO: Matrix4): void {
    for (const { X_RP, X_WP } of this.open.values()) if (!X_WP) X_RP.premultiply(X_NO);
  }

  menu(): void {
    this.toggle("Menu");
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

  private menuRows() {
    return menuSheet(this.studio, {
      ...this.visitor,
      scaleText: this.visitor.scaleText,
      paceText: this.visitor.paceText,
      isSeated: this.visitor.isSeated,
      canPutDown: this.visitor.canPutDown,
      isPuttingDown: this.visitor.isPuttingDown,
      isOpen: (name) => this.open.has(name),
      toggle: (name) => this.toggle(name),
    });
  }

  /** A place that is free; else that of panels that were opened first, which are closed. */
  private placeFor(sight: Sight): Matrix4 {
    const free = freePlace(sight, ROOM, [...this.open.values()].map(standingOf));
    if (free) return free;
    const places = placesOf(sight, ROOM);
    for (const old of this.open.values()) {
      if (old.X_WP) continue;
      const at = places.find((X_RP) => isHidden(sight, { X_RP, size: ROOM }, standingOf(old)));
      if (!at) continue;
      this.close(old);
      return freePlace(sight, ROOM, [...this.open.values()].map(standingOf)) ?? at;
    }
    // pinned ones are everywhere: before one of them
    const [first] = placesOf(sight, ROOM);
    const at = new Vector3().setFromMatrixPosition(first);
    return first.setPosition(at.lerp(sight.place, NEARER));
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
        panel.stale();
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

  /** The menu is at the wrist that an idle hand turns to the eyes; it stays until it turns away. */
  private follow(idle: readonly Hand[]): void {
    const sight = this.sight();
    const isShown = (hand: Hand): boolean => {
      const wrist = sight && wristOf(hand);
      return wrist ? isRead(wrist, hand.side, sight, hand === this.wristHand) : false;
    };
    const shown = idle.filter(isShown);
    const hand = shown.find((one) => one === this.wristHand) ?? shown.at(0) ?? null;
    if (hand && hand !== this.wristHand) this.wrist.stale();
    this.wristHand = hand;
    this.wrist.mesh.visible = hand !== null;
    if (hand && sight) this.wrist.X_RP.copy(menuAt(wristOf(hand)!, sight.place));
  }
}

const standingOf = ({ X_RP, height }: Panel) => ({ X_RP, size: [WIDE, height] as const });

/** Where a hand points, in the room. */
function rayOf({ ray }: Hand): Ray | null {
  if (!ray) return null;
  const direction = new Vector3(0, 0, -1).transformDirection(ray);
  return new Ray(new Vector3().setFromMatrixPosition(ray), direction);
}
