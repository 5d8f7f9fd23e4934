// A picture of the view as a file: the canvas, with the labels written on it.
import type { Labels } from "../labels/labels.ts";
import type { Palette } from "../links/palette.ts";

/** Of a canvas whose picture is so wide [px of labels]. Must be called right after drawing, before the browser takes the picture away. */
export function photograph(
  canvas: HTMLCanvasElement,
  labels: Labels,
  palette: Palette,
  width: number,
): Promise<Blob> {
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext("2d");
  if (!context) return Promise.reject(new Error("this browser cannot make a picture"));
  context.drawImage(canvas, 0, 0);
  const scale = canvas.width / width;
  context.scale(scale, scale);
  context.font = "500 12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = palette.floor;
  context.fillStyle = palette.ink;
  context.textAlign = "center";
  for (const { text, x, y } of labels.visible()) {
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
  return new Promise((resolve, reject) =>
    copy.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}
