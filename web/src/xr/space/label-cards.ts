// The view's labels in a headset, where nothing of the page is seen: the nearest of those before the
// eyes are on cards.
import { Group, type Matrix4, Vector3 } from "three";
import { placeLabels, type Spot } from "../../view/labels/label-places.ts";
import type { Label, LabelKind, Labels } from "../../view/labels/labels.ts";
import type { Palette } from "../../view/links/palette.ts";
import { Card } from "./card.ts";

/** The eyes in the room: where they are, the horizontal way ahead, and what they look at. */
export interface Eyes {
  place: Vector3;
  ahead: Vector3;
  along: Vector3;
}

/** A label's place in the room, and what it is. */
export interface Candidate {
  at: Vector3;
  kind: LabelKind;
}

/** Cards at most: more than anybody reads. */
export const MOST = 14;
/** How far from what the eyes look at [rad], and from the eyes [m]. */
const ASIDE = 0.85;
const FAR = 8;
const NEAR = 0.25;
/** Numbers are written again after this time [ms], and this many cards in a frame at most. */
const EVERY = 250;
const PAINTS = 2;
/** Cards look for their places again after so many frames. */
const SETTLE = 5;
/** `placeLabels` counts pixels: milliradians here. */
const UNIT = 1000;
const ENDLESS = { left: -1e6, right: 1e6, top: -1e6, bottom: 1e6 };
/** What is wrong first, names last. */
const RANKS: Record<LabelKind, number> = { alarm: 0, choice: 1, note: 2, badge: 3, name: 4 };

/** Which labels are shown: those before the eyes, the important and near ones first. */
export function chosen<T extends Candidate>(all: readonly T[], eyes: Eyes, most = MOST): T[] {
  const rows = all.flatMap((one) => {
    const way = one.at.clone().sub(eyes.place);
    const distance = way.length();
    const isSeen = distance > NEAR && distance < FAR && way.angleTo(eyes.along) < ASIDE;
    return isSeen ? [{ one, distance }] : [];
  });
  rows.sort((a, b) => RANKS[a.one.kind] - RANKS[b.one.kind] || a.distance - b.distance);
  return rows.slice(0, most).map(({ one }) => one);
}

/** Angles to the right and down, as seen from the eyes [mrad]; they do not depend on where one looks. */
export function angles(at: Vector3, { place, ahead }: Eyes): { x: number; y: number } {
  const way = at.clone().sub(place);
  const left = Math.atan2(way.y, way.x) - Math.atan2(ahead.y, ahead.x);
  const turn = Math.atan2(Math.sin(left), Math.cos(left));
  return { x: -UNIT * turn, y: -UNIT * Math.atan2(way.z, Math.hypot(way.x, way.y)) };
}

/** The place at the same distance, seen at other angles. */
export function shifted(
  at: Vector3,
  { place, ahead }: Eyes,
  { x, y }: { x: number; y: number },
): Vector3 {
  const distance = at.distanceTo(place);
  const [turn, up] = [Math.atan2(ahead.y, ahead.x) - x / UNIT, -y / UNIT];
  const way = new Vector3(
    Math.cos(up) * Math.cos(turn),
    Math.cos(up) * Math.sin(turn),
    Math.sin(up),
  );
  return way.multiplyScalar(distance).add(place);
}

/** Panels hide labels: they are drawn later. */
const UNDER = 15;

interface Shown {
  card: Card;
  spot: Spot;
  /** When it was painted last [ms]. */
  painted: number;
}

export class LabelCards {
  readonly group = new Group();
  private readonly shown = new Map<Label, Shown>();
  private readonly spare: Card[] = [];
  private frames = 0;

  constructor(private readonly labels: Labels) {}

  /** What can be read now. */
  get texts(): string[] {
    return [...this.shown.values()]
      .filter(({ card }) => card.mesh.visible)
      .map(({ card }) => card.text);
  }

  /** X_RW: the world in the room; now: [ms] */
  update(X_RW: Matrix4, eyes: Eyes, palette: Palette, now: number): void {
    const all = this.labels.readable().map((label) => ({
      label,
      kind: label.kind,
      at: new Vector3(...label.at).applyMatrix4(X_RW),
    }));
    const rows = chosen(all, eyes);
    for (const [label, one] of this.shown)
      if (!rows.some((row) => row.label === label)) this.drop(label, one);
    let paints = PAINTS;
    for (const { label } of rows) {
      const one = this.shown.get(label) ?? this.add(label);
      if (now - one.painted < EVERY || paints === 0) continue;
      if (!one.card.say(label.text, palette, label.kind, label.color)) continue;
      one.painted = now;
      paints -= 1;
    }
    const painted = rows.filter(({ label }) => this.shown.get(label)!.card.text !== "");
    if (this.frames++ % SETTLE === 0) this.settle(painted, eyes);
    for (const { label, at } of painted) {
      const { card, spot } = this.shown.get(label)!;
      if (spot === null) {
        card.hide();
        continue;
      }
      const { x, y } = angles(at, eyes);
      card.put(shifted(at, eyes, { x: x + spot[0], y: y + spot[1] }), eyes.place);
    }
  }

  dispose(): void {
    for (const { card } of this.shown.values()) card.dispose();
    for (const card of this.spare) card.dispose();
    this.shown.clear();
    this.group.removeFromParent();
  }

  /** Apart from each other, as seen. */
  private settle(rows: readonly (Candidate & { label: Label })[], eyes: Eyes): void {
    const requests = rows.map(({ label, at, kind }) => {
      const { card, spot } = this.shown.get(label)!;
      const [wide, high] = card.angles;
      const size = { width: UNIT * wide, height: UNIT * high };
      return { ...angles(at, eyes), ...size, isName: kind === "name", last: spot };
    });
    placeLabels(requests, ENDLESS).forEach((spot, i) => {
      this.shown.get(rows[i].label)!.spot = spot;
    });
  }

  private add(label: Label): Shown {
    const card = this.spare.pop() ?? new Card(UNDER);
    card.text = "";
    this.group.add(card.mesh);
    const one: Shown = { card, spot: null, painted: -Infinity };
    this.shown.set(label, one);
    return one;
  }

  private drop(label: Label, { card }: Shown): void {
    card.hide();
    this.shown.delete(label);
    this.spare.push(card);
  }
}
