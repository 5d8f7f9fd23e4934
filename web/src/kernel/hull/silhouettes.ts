// Silhouettes of pictures: what is opaque, or what differs from the picture without the body.

/** Least opacity of a pixel that belongs to the body; as src/kinegen/hull/folders.py has it. */
const OPAQUE = 128;

/** 1 where a picture (RGBA) is opaque. */
export function opaque(picture: Uint8Array | Uint8ClampedArray, mask: Uint8Array): void {
  for (let i = 0; i < mask.length; ++i) mask[i] = picture[4 * i + 3] >= OPAQUE ? 1 : 0;
}

/**
 * 1 where a picture (RGBA) differs from its background: red, green or blue by more than the
 * threshold, after which each pixel becomes what most of its 3 × 3 neighbourhood is. The twin of
 * src/kinegen/hull/background.py; `scratch` is as long as the mask.
 */
export function different(
  picture: Uint8Array | Uint8ClampedArray,
  background: Uint8Array | Uint8ClampedArray,
  [width, height]: readonly [number, number],
  threshold: number,
  mask: Uint8Array,
  scratch: Uint8Array,
): void {
  for (let i = 0, at = 0; i < mask.length; ++i, at += 4)
    scratch[i] =
      Math.abs(picture[at] - background[at]) > threshold ||
      Math.abs(picture[at + 1] - background[at + 1]) > threshold ||
      Math.abs(picture[at + 2] - background[at + 2]) > threshold
        ? 1
        : 0;
  for (let row = 0; row < height; ++row) {
    // beyond the edges pixels are as at the edge
    const above = width * Math.max(0, row - 1);
    const here = width * row;
    const below = width * Math.min(height - 1, row + 1);
    for (let column = 0; column < width; ++column) {
      const left = Math.max(0, column - 1);
      const right = Math.min(width - 1, column + 1);
      const count =
        scratch[above + left] + scratch[above + column] + scratch[above + right] +
        scratch[here + left] + scratch[here + column] + scratch[here + right] +
        scratch[below + left] + scratch[below + column] + scratch[below + right]; // prettier-ignore
      mask[here + column] = count >= 5 ? 1 : 0;
    }
  }
}

/** Colours that were drawn as linear light, as screens and other cameras have them; in place. */
export function toScreenColors(picture: Uint8Array): void {
  for (let i = 0; i < picture.length; i += 4) {
    picture[i] = SCREEN[picture[i]];
    picture[i + 1] = SCREEN[picture[i + 1]];
    picture[i + 2] = SCREEN[picture[i + 2]];
  }
}

const SCREEN = Uint8Array.from({ length: 256 }, (_, i) => {
  const light = i / 255;
  const shown = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
  return Math.round(255 * shown);
});
