// The view from a camera of a world: a preview where the studio cannot draw what it sees.
import {
  Matrix4,
  PerspectiveCamera,
  type Scene,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import type { CameraData } from "../../wire/messages.ts";

/** Cameras of the world look along x with z up, those of three.js along -z with y up. */
const TURN = new Matrix4().set(0, 0, -1, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1);

/** Draws what a camera sees into a canvas of its size. */
export function lookFrom(
  renderer: WebGLRenderer,
  scene: Scene,
  X_TS: Matrix4,
  { width, height, opening, near, far }: CameraData,
  canvas: HTMLCanvasElement,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const camera = new PerspectiveCamera((opening * 180) / Math.PI, width / height, near, far);
  camera.matrixAutoUpdate = false;
  camera.matrix.multiplyMatrices(X_TS, TURN);
  camera.updateMatrixWorld(true);
  const target = new WebGLRenderTarget(width, height);
  const pixels = new Uint8Array(4 * width * height);
  const { enabled } = renderer.xr;
  const present = renderer.getRenderTarget();
  try {
    // else the headset's eyes would draw here
    renderer.xr.enabled = false;
    renderer.setRenderTarget(target);
    renderer.render(scene, camera);
    renderer.readRenderTargetPixels(target, 0, 0, width, height, pixels);
  } finally {
    renderer.setRenderTarget(present);
    renderer.xr.enabled = enabled;
    target.dispose();
  }
  const image = context.createImageData(width, height);
  // rows come from below, and colours as light: brightness for the eye
  for (let row = 0; row < height; ++row)
    for (let i = 0; i < 4 * width; ++i) {
      const value = pixels[4 * width * (height - 1 - row) + i];
      image.data[4 * width * row + i] = i % 4 === 3 ? 255 : SHOWN[value];
    }
  context.putImageData(image, 0, 0);
}

/** Of linear light, what a screen is given. */
const SHOWN = Uint8Array.from({ length: 256 }, (_, i) => {
  const light = i / 255;
  const shown = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  return Math.round(255 * shown);
});
