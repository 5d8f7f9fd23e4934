// A name on a coloured pill that turns to the eyes, in the window and in a headset.
import { CanvasTexture, Sprite, SpriteMaterial, SRGBColorSpace } from "three";

/** Height of the pill [m of the person] and [px]. */
export const NAME_HEIGHT = 0.075;
const PIXELS = 72;

export class NameLabel {
  readonly sprite: Sprite;
  private shown = "";
  /** Width by height. */
  private shape = 1;

  constructor() {
    const look = { transparent: true, toneMapped: false, depthTest: false };
    this.sprite = new Sprite(new SpriteMaterial(look));
    this.sprite.renderOrder = 20;
    this.sprite.raycast = () => undefined;
  }

  show(name: string, color: string): void {
    const key = `${color} ${name}`;
    if (key === this.shown) return;
    this.shown = key;
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d")!;
    const font = "600 40px system-ui, sans-serif";
    context.font = font;
    canvas.width = Math.ceil(context.measureText(name).width) + 56;
    canvas.height = PIXELS;
    context.beginPath();
    context.roundRect(1, 1, canvas.width - 2, PIXELS - 2, PIXELS / 2);
    context.fillStyle = color;
    context.fill();
    Object.assign(context, { font, fillStyle: "#ffffff", textBaseline: "middle" });
    context.fillText(name, 28, PIXELS / 2 + 2);
    const { material } = this.sprite;
    material.map?.dispose();
    material.map = new CanvasTexture(canvas);
    material.map.colorSpace = SRGBColorSpace;
    material.needsUpdate = true;
    this.shape = canvas.width / PIXELS;
  }

  /** Times the usual size. */
  resize(size: number): void {
    this.sprite.scale.set(this.shape * NAME_HEIGHT * size, NAME_HEIGHT * size, 1);
  }

  dispose(): void {
    this.sprite.removeFromParent();
    this.sprite.material.map?.dispose();
    this.sprite.material.dispose();
  }
}
