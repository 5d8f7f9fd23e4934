import { Matrix4, type Object3D } from "three";
import { describe, expect, it } from "vitest";

import { PALETTES } from "../../../src/view/links/palette.ts";
import { Figures } from "../../../src/xr/space/figures.ts";
import type { Actor } from "../../../src/xr/hands/hands.ts";
import type { Hand } from "../../../src/xr/hands/inputs.ts";

/** A hand that points ahead from 1.2 m above the floor. */
function actor(kind: Hand["kind"], source: object, joints = false): Actor {
  const at = new Matrix4().setPosition(0.2, 0.3, 1.2);
  const hand = {
    ...{ source, side: "right", kind, grip: at, ray: at, isSelecting: false, isSqueezing: false },
    ...{ stick: [0, 0], commands: { menu: false, stop: false } },
    joints: joints
      ? Float32Array.from({ length: 100 }, (_, i) => (i % 4 === 3 ? 0.01 : i / 500))
      : null,
  } as unknown as Hand;
  return { hand, aim: null, panel: null, doing: null };
}

/** Whether controller, joints, bones and ray of the only hand are seen. */
function seen(figures: Figures): boolean[] {
  const figure = figures.group.children.at(-1) as Object3D;
  return figure.children.slice(0, 4).map(({ visible }) => visible);
}

function shown(one: Actor): boolean[] {
  const figures = new Figures();
  figures.show([one], new Matrix4(), PALETTES.light, null);
  return seen(figures);
}

describe("a hand as the user sees it", () => {
  it("is a controller or a bare hand, with its ray", () => {
    expect(shown(actor("controller", {}))).toEqual([true, false, false, true]);
    expect(shown(actor("tracked", {}, true))).toEqual([false, true, true, true]);
  });

  it("is not drawn where the headset does so itself, but its ray is", () => {
    const own = { skipRendering: true };
    expect(shown(actor("controller", own))).toEqual([false, false, false, true]);
    expect(shown(actor("tracked", own, true))).toEqual([false, false, false, true]);
    // it says so for each moment: a controller that is put down gives way to a hand
    const figures = new Figures();
    const source = { skipRendering: true };
    const one = actor("controller", source);
    figures.show([one], new Matrix4(), PALETTES.light, null);
    source.skipRendering = false;
    figures.show([one], new Matrix4(), PALETTES.light, null);
    expect(seen(figures)[0]).toBe(true);
  });

  it("has no ray where eyes or a finger on a screen point, and goes when its hand goes", () => {
    expect(shown(actor("pointer", {}))[3]).toBe(false);
    const figures = new Figures();
    const before = figures.group.children.length;
    figures.show([actor("controller", {})], new Matrix4(), PALETTES.light, null);
    expect(figures.group.children.length).toBe(before + 1);
    figures.show([], new Matrix4(), PALETTES.light, null);
    expect(figures.group.children.length).toBe(before);
  });
});
