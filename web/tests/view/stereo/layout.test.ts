import { expect, it } from "vitest";
import { cellOf, eyeAt, type Layout, pictureSize } from "../../../src/view/stereo/layout.ts";

const layout = (change: Partial<Layout>): Layout => ({
  mode: "off",
  swapped: false,
  squeezed: false,
  ...change,
});

it.each([
  ["side", [500, 600]],
  ["stacked", [1000, 300]],
  ["anaglyph", [1000, 600]],
] as const)("%s: each eye has its own picture", (mode, size) => {
  const chosen = layout({ mode });
  expect(pictureSize(chosen, 1000, 600)).toEqual(size);
  expect(pictureSize({ ...chosen, squeezed: true }, 1000, 600)).toEqual([1000, 600]);
  for (const swapped of [false, true])
    for (const eye of [0, 1] as const) {
      const { x, y, width, height } = cellOf({ ...chosen, swapped }, eye, 1000, 600);
      expect([width, height]).toEqual(size);
      const at = eyeAt({ ...chosen, swapped }, x + width / 2, y + height / 2, 1000, 600);
      expect(at).toBe(mode === "anaglyph" ? null : eye);
    }
});

it("the left eye is on the left and at the top, unless the eyes are swapped", () => {
  expect(cellOf(layout({ mode: "side" }), 0, 1000, 600).x).toBe(0);
  expect(cellOf(layout({ mode: "side", swapped: true }), 0, 1000, 600).x).toBe(500);
  expect(cellOf(layout({ mode: "stacked" }), 0, 1000, 600).y).toBe(0);
  expect(eyeAt(layout({}), 10, 10, 1000, 600)).toBeNull();
});
