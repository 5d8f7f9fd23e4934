// Words beside hands: what they are at, what holds a part back; and messages of the studio.
import { CanvasTexture, Group, type Matrix4, Mesh, MeshBasicMaterial, PlaneGeometry, SRGBColorSpace, Vector3 } from "three"; // prettier-ignore
import { limitWords } from "../kernel/reasons.ts";
import type { ViewHost } from "../store/hosts.ts";
import type { Palette } from "../view/links/palette.ts";
import { forceText, valueText } from "../view/units.ts";
import type { Actor } from "./hands.ts";
import type { Head } from "./rig.ts";
import { inksOf } from "./panels/paint.ts";
import { wrapped } from "./panels/rows.ts";

/** Letters of a line, its height [px], and metres of the room per pixel. */
const LETTERS = 40;
const LINE = 52;
const PIXEL = 0.16 / 512;
/** A part that lags behind its hand by more is out of reach [sizes of the mechanism]. */
const FAR = 0.02;
/** A message stays so long [s], so far before the eyes and below them [m]. */
const STAYS = 5;
const AWAY = 0.9;
const BELOW = 0.3;

/** Words on a card that turns to the eyes. */
class Card {
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  private readonly canvas = document.createElement("canvas");
  private shown = "";

  constructor(private readonly size = 1) {
    const look = { transparent: true, toneMapped: false, depthTest: false };
    this.mesh = new Mesh(new PlaneGeometry(1, 1), new MeshBasicMaterial(look));
    this.mesh.renderOrder = 30;
    this.mesh.visible = false;
    this.mesh.raycast = () => undefined;
  }

  show(text: string, at: Vector3, eyes: Vector3, palette: Palette): void {
    this.mesh.visible = text !== "";
    if (!text) return;
    const key = `${palette.dark} ${text}`;
    if (key !== this.shown) this.draw(text, palette);
    this.shown = key;
    this.mesh.position.copy(at);
    const back = eyes.clone().sub(at);
    this.mesh.up.set(0, 0, 1);
    this.mesh.matrix.lookAt(back, new Vector3(), this.mesh.up);
    this.mesh.quaternion.setFromRotationMatrix(this.mesh.matrix);
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.map?.dispose();
    this.mesh.material.dispose();
  }

  private draw(text: string, palette: Palette): void {
    const inks = inksOf(palette);
    const context = this.canvas.getContext("2d")!;
    const font = "500 36px system-ui, sans-serif";
    const lines = wrapped(text, LETTERS);
    context.font = font;
    const wide = Math.max(...lines.map((line) => context.measureText(line).width));
    [this.canvas.width, this.canvas.height] = [Math.ceil(wide) + 56, LINE * lines.length + 24];
    const { width, height } = this.canvas;
    context.beginPath();
    context.roundRect(1, 1, width - 2, height - 2, 24);
    context.fillStyle = inks.surface;
    context.fill();
    Object.assign(context, { font, fillStyle: inks.ink, textBaseline: "middle" });
    lines.forEach((line, i) => context.fillText(line, 28, 12 + LINE * (i + 0.5)));
    this.mesh.material.map?.dispose();
    this.mesh.material.map = new CanvasTexture(this.canvas);
    this.mesh.material.map.colorSpace = SRGBColorSpace;
    this.mesh.material.needsUpdate = true;
    this.mesh.scale.set(width * PIXEL * this.size, height * PIXEL * this.size, 1);
  }
}

/** What is said beside a hand; '' for nothing. */
export function wordsFor(studio: ViewHost, { aim, doing, panel }: Actor): string {
  const { model, settings, status, simulation, scene } = studio;
  if (panel !== null || !model) return "";
  if (doing?.kind === "part") {
    const row = simulation.frame?.hands.find(({ hand }) => hand === doing.job.number);
    if (doing.job.number !== null) return row ? forceText(Math.hypot(...row.force)) : "";
    const [limit] = status?.limits ?? [];
    if (limit) return limitWords(limit, (value) => valueText(value, limit.unit, settings));
    const { obstacle } = status?.report ?? { obstacle: null };
    if (obstacle) return `'${obstacle[0]}' is stopped by '${obstacle[1]}'`;
    const isFar = (status?.distance ?? 0) > FAR * model.size;
    return isFar && status?.outcome === "nearest" ? "out of reach" : "";
  }
  if (doing || !aim) return "";
  if (aim.kind === "phantom") return aim.ghost.label;
  return aim.kind === "link" ? model.data.links[aim.link] : (scene.objects[aim.index]?.name ?? "");
}

export class Tags {
  readonly group = new Group();
  private readonly cards = new Map<Actor, Card>();
  private readonly message = new Card(1.6);
  private text = "";
  private until = 0;
  private readonly at = new Vector3();

  constructor(private readonly studio: ViewHost) {
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
      card.show(at ? wordsFor(this.studio, actor) : "", at ?? head.place, head.place, palette);
    }
    this.message.show(now < this.until ? this.text : "", this.at, head.place, palette);
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
