// Where the pictures of both eyes lie in the canvas: pure maths [px, from the upper left corner].
export type StereoMode = "off" | "side" | "stacked" | "anaglyph";
export type Side = 0 | 1;

export interface Layout {
  mode: StereoMode;
  /** Whether the right eye's picture is where the left eye's would be. */
  swapped: boolean;
  /** Whether each half holds a whole picture, squeezed, as 3D televisions and projectors expect. */
  squeezed: boolean;
}

export interface Cell {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Size of the picture that each eye sees: as large as the canvas unless it is cut in half. */
export function pictureSize(layout: Layout, width: number, height: number): [number, number] {
  if (layout.squeezed || layout.mode === "off" || layout.mode === "anaglyph")
    return [width, height];
  return layout.mode === "side" ? [width / 2, height] : [width, height / 2];
}

/** Where the picture of an eye (0 left, 1 right) is shown. */
export function cellOf(layout: Layout, eye: Side, width: number, height: number): Cell {
  const second = (eye === 1) !== layout.swapped;
  if (layout.mode === "side") return { x: second ? width / 2 : 0, y: 0, width: width / 2, height };
  if (layout.mode === "stacked")
    return { x: 0, y: second ? height / 2 : 0, width, height: height / 2 };
  return { x: 0, y: 0, width, height };
}

/** The eye whose picture is at a place; null where both share it, or only one looks. */
export function eyeAt(
  layout: Layout,
  x: number,
  y: number,
  width: number,
  height: number,
): Side | null {
  if (layout.mode !== "side" && layout.mode !== "stacked") return null;
  const second = layout.mode === "side" ? x >= width / 2 : y >= height / 2;
  return second !== layout.swapped ? 1 : 0;
}
