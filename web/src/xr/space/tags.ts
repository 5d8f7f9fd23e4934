// Words beside hands: what they are at, what holds a part back; and messages of the studio.
import { Group, type Matrix4, Vector3 } from "three";
import { limitWords } from "../../kernel/reasons.ts";
import type { ModelHost, DragHost, ChoiceHost, SceneHost } from "../../store/hosts.ts";
import type { Palette } from "../../view/links/palette.ts";
import { valueText } from "../../view/units.ts";
import { Card } from "./card.ts";
import type { Actor } from "../hands/hands.ts";
import type { Head } from "./rig.ts";

type Host = ModelHost & DragHost & ChoiceHost & SceneHost;

/** A part that lags behind its hand by more is out of reach [sizes of the mechanism]. */
const FAR = 0.02;
/** A message stays so long [s], so far before the eyes [m]; the mechanism is below it. */
const STAYS = 5;
const AWAY = 0.9;
const BELOW = 0.03;

/** What is said beside a hand; '' for nothing. */
export function wordsFor(studio: Host, { aim, doing, panel }: Actor): string {
  const { model, settings, status, scene } = studio;
  if (panel !== null || !model) return "";
  if (doing?.kind === "part") {
    // the view's own label has the force
    if (doing.job.number !== null || aim?.kind === "handle") return "";
    const [limit] = status?.limits ?? [];
    if (limit) return limitWords(limit, (value) => valueText(value, limit.unit, settings));
    const { obstacle } = status?.report ?? { obstacle: null };
    if (obstacle) return `'${obstacle[0]}' is stopped by '${obstacle[1]}'`;
    const isFar = (status?.distance ?? 0) > FAR * model.size;
    return isFar && status?.outcome === "nearest" ? "out of reach" : "";
  }
  if (doing || !aim) return "";
  if (aim.kind === "handle" || aim.kind === "knob") return aim.label;
  // it has a label of the view
  if (aim.kind === "phantom") return "";
  return aim.kind === "link" ? model.data.links[aim.link] : (scene.objects[aim.index]?.name ?? "");
}

function show(card: Card, text: string, at: Vector3, eyes: Vector3, palette: Palette): void {
  if (!text) return card.hide();
  card.say(text, palette);
  card.put(at, eyes);
}

export class Tags {
  readonly group = new Group();
  private readonly cards = new Map<Actor, Card>();
  private readonly message = new Card();
  private text = "";
  private until = 0;
  private readonly at = new Vector3();

  constructor(private readonly studio: Host) {
    this.group.add(this.message.mesh);
  }

  /** A message for the user, in front of whose eyes it appears. */
  say(text: string, { place, ahead }: Head, now: number): void {
    this.text = text;
    this.until = now + 1000 * STAYS;
    this.at.copy(place).addScaledVector(ahead, AWAY).z -= BELOW;
  }

  /** now: [ms] */
  update(actors: readonly Actor[], head: Head, palette: Palette, now: number, X_RW: Matrix4): void {
    for (const [actor, card] of this.cards)
      if (!actors.includes(actor)) {
        card.dispose();
        this.cards.delete(actor);
      }
    for (const actor of actors) {
      const card = this.cards.get(actor) ?? new Card();
      if (!this.cards.has(actor)) this.group.add(card.mesh);
      this.cards.set(actor, card);
      const at = this.placeOf(actor, head.place, X_RW);
      show(card, at ? wordsFor(this.studio, actor) : "", at ?? head.place, head.place, palette);
    }
    show(this.message, now < this.until ? this.text : "", this.at, head.place, palette);
  }

  dispose(): void {
    for (const card of [...this.cards.values(), this.message]) card.dispose();
    this.group.removeFromParent();
  }

  /** Above the hand that holds, or above what a ray is at, no farther than it can be read. */
  private placeOf({ aim, doing, hand }: Actor, eyes: Vector3, X_RW: Matrix4): Vector3 | null {
    const own = hand.grip ?? hand.ray;
    if (!own) return null;
    const place = new Vector3().setFromMatrixPosition(own);
    if (doing?.kind === "part" || !aim || aim.by === "hand")
      return place.add(new Vector3(0, 0, 0.1));
    const there = aim.at.clone().applyMatrix4(X_RW);
    const way = there.sub(eyes);
    return eyes
      .clone()
      .addScaledVector(way, Math.min(1, 1.2 / way.length()))
      .add(new Vector3(0, 0, 0.05));
  }
}
