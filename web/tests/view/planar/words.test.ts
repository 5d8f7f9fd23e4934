import { beforeAll, describe, expect, it } from "vitest";
import { PageModel } from "../../../src/kernel/page-model.ts";
import { readSkeleton } from "../../../src/shapes/index.ts";
import { rotationWithZ } from "../../../src/shapes/solid.ts";
import { flatScene, type Spot } from "../../../src/view/planar/scene.ts";
import { flatWords, type Word } from "../../../src/view/planar/words.ts";
import { type Fixtures, fixtures } from "../../fixtures.ts";

const NAMES = ["five-bar", "four-bar", "3-rrr", "peaucellier", "slider-crank"];
const [WIDTH, HEIGHT] = [304, 600];
const measure = (text: string): number => 6.5 * text.length;
let given: Fixtures;
beforeAll(async () => {
  given = await fixtures(...NAMES);
});

/** The words of a mechanism that fills two thirds of a picture. */
function wordsOf(name: string): Word[] {
  const model = new PageModel(given.kernels, given.models[name].data);
  const plane = rotationWithZ(readSkeleton(model, new Map()).plane!.normal);
  const scene = flatScene(model, model.forward(model.start()), plane);
  const [xs, ys] = [0, 1].map((k) => scene.points.map((p) => p[k]));
  const middle = [xs, ys].map((v) => (Math.min(...v) + Math.max(...v)) / 2);
  const size = Math.max(Math.max(...xs) - Math.min(...xs), 1e-6);
  const scale = (0.64 * WIDTH) / size;
  const to = ([x, y]: Spot): Spot => [
    WIDTH / 2 + scale * (x - middle[0]),
    HEIGHT / 2 - scale * (y - middle[1]),
  ];
  const settings = { lengthUnit: "mm" } as const;
  return flatWords(scene, { width: WIDTH, height: HEIGHT, scale, settings }, to, measure);
}

describe("flatWords", () => {
  it.for(NAMES)("reads well: %s", (name) => {
    const words = wordsOf(name);
    expect(words.filter(({ look }) => look === "length").length).toBeGreaterThan(0);
    expect(words.filter(({ look }) => look === "joint").length).toBeGreaterThan(1);
    words.forEach((one, i) => {
      if (one.look !== "length") {
        expect(one.x - measure(one.text) / 2).toBeGreaterThanOrEqual(0);
        expect(one.x + measure(one.text) / 2).toBeLessThanOrEqual(WIDTH);
      }
      // middles of upright words are a line or both half widths apart
      for (const other of words.slice(0, i)) {
        if (one.angle !== 0 || other.angle !== 0) continue;
        const wide = (measure(one.text) + measure(other.text)) / 2;
        expect(Math.abs(one.y - other.y) >= 15 || Math.abs(one.x - other.x) >= wide).toBe(true);
      }
    });
  });

  it("names joints that share a place together", () => {
    expect(wordsOf("peaucellier").some(({ text }) => text === "AD, A")).toBe(true);
  });

  it("says how far supports are apart", () => {
    expect(wordsOf("five-bar").filter(({ text }) => text === "200 mm")).toHaveLength(1);
  });
});
