// Words on a card in space that turns to the eyes.
import {
  CanvasTexture,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  SRGBColorSpace,
  Vector3,
} from "three";
import type { Palette } from "../../view/links/palette.ts";
import { inksOf } from "../panels/paint.ts";
import { wrapped } from "../panels/rows.ts";

/** What a card says, by its look: beside a hand, the name of a thing, a number, a warning, … */
export type CardKind = "hand" | "name" | "note" | "alarm" | "choice" | "badge";

/** Letters of a line, its height, the letters' size and the room at both sides [px]. */
const LETTERS = 40;
const LINE = 52;
const LETTER = 36;
const SIDE = 28;
const EDGE = 12;
/** Names are many: they are smaller. */
const SMALL = 0.78;
/** Metres of the room per pixel. */
const PIXEL = 0.16 / 512;
/** At this distance letters are 8 mm high; farther away they are larger, to be read as well [m]. */
const ARM = 0.6;
/** Widths of pictures are multiples of this, so that numbers that change keep theirs [px]. */
const STEP = 32;

const measuring = (): CanvasRenderingContext2D =>
  document.createElement("canvas").getContext("2d")!;
const Z = new Vector3(0, 0, 1);

export class Card {
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  /** What it shows. */
  text = "";
  private readonly canvas = document.createElement("canvas");
  private shown = "";

  /** @param order Cards with a higher one are drawn over others. */
  constructor(order = 30) {
    const look = { transparent: true, toneMapped: false, depthTest: false };
    this.mesh = new Mesh(new PlaneGeometry(1, 1), new MeshBasicMaterial(look));
    this.mesh.renderOrder = order;
    this.mesh.visible = false;
    this.mesh.raycast = () => undefined;
  }

  /** Paints a text; false where that is what it shows. */
  say(
    text: string,
    palette: Palette,
    kind: CardKind = "hand",
    color: string | null = null,
  ): boolean {
    const key = `${palette.dark} ${kind} ${color} ${text}`;
    this.text = text;
    if (key === this.shown) return false;
    this.shown = key;
    this.draw(text, palette, kind, color);
    return true;
  }

  /** Shows it at a place, turned to the eyes: all in the room. */
  put(at: Vector3, eyes: Vector3): void {
    const back = eyes.clone().sub(at);
    this.mesh.visible = true;
    this.mesh.position.copy(at);
    this.mesh.quaternion.setFromRotationMatrix(new Matrix4().lookAt(back, new Vector3(), Z));
    const { width, height } = this.canvas;
    const pixel = PIXEL * Math.max(1, back.length() / ARM);
    this.mesh.scale.set(width * pixel, height * pixel, 1);
  }

  hide(): void {
    this.mesh.visible = false;
  }

  /** Width and height as they are seen [rad]. */
  get angles(): [number, number] {
    const { width, height } = this.canvas;
    return [(width * PIXEL) / ARM, (height * PIXEL) / ARM];
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.material.map?.dispose();
    this.mesh.material.dispose();
  }

  private draw(text: string, palette: Palette, kind: CardKind, color: string | null): void {
    const share = kind === "name" ? SMALL : 1;
    const font = `600 ${LETTER * share}px system-ui, sans-serif`;
    const lines = wrapped(text, LETTERS);
    const context = this.canvas.getContext("2d") ?? measuring();
    context.font = font;
    const wide = Math.max(...lines.map((line) => context.measureText(line).width));
    const width = STEP * Math.ceil((wide + 2 * SIDE * share) / STEP);
    const height = Math.ceil((LINE * lines.length + 2 * EDGE) * share);
    const isSame = this.canvas.width === width && this.canvas.height === height;
    if (!isSame) [this.canvas.width, this.canvas.height] = [width, height];
    const { fill, ink, line } = looks(kind, palette, color);
    context.clearRect(0, 0, width, height);
    context.beginPath();
    context.roundRect(2, 2, width - 4, height - 4, 24 * share);
    context.fillStyle = fill;
    context.fill();
    if (line) Object.assign(context, { strokeStyle: line, lineWidth: 3 }).stroke();
    Object.assign(context, { font, fillStyle: ink, textBaseline: "middle", textAlign: "center" });
    lines.forEach((one, i) =>
      context.fillText(one, width / 2, share * (EDGE + LINE * (i + 0.5)) + 1),
    );
    this.upload(isSame);
  }

  private upload(isSame: boolean): void {
    const { material } = this.mesh;
    const { map } = material;
    if (map && isSame) {
      map.needsUpdate = true;
      return;
    }
    map?.dispose();
    material.map = new CanvasTexture(this.canvas);
    material.map.colorSpace = SRGBColorSpace;
    if (!map) material.needsUpdate = true;
  }
}

/** Colours of a card, as those of the page's labels. */
function looks(kind: CardKind, palette: Palette, color: string | null) {
  const { surface, ink, danger, accent, line } = inksOf(palette);
  if (kind === "alarm") return { fill: danger, ink: "#ffffff", line: null };
  if (kind === "choice") return { fill: surface, ink: color ?? accent, line: color ?? accent };
  if (kind === "badge") return { fill: surface, ink, line: palette.motor };
  if (kind === "name") return { fill: `${surface}d0`, ink, line: null };
  return { fill: surface, ink, line };
}
