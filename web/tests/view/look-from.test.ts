// The picture of a camera of the world, drawn beside everything else.
import { Matrix4, Scene, type WebGLRenderer } from "three";
import { describe, expect, it, vi } from "vitest";
import { lookFrom } from "../../src/view/world/look-from.ts";
import type { CameraData } from "../../src/wire/messages.ts";

const CAMERA = { width: 2, height: 2, opening: 1, near: 0.1, far: 10 } as CameraData;
const OWN = { is: "the headset's target" };

function renderer(render: () => void) {
  let target: unknown = OWN;
  const drawn: unknown[] = [];
  const fake = {
    xr: { enabled: true },
    getRenderTarget: () => target,
    setRenderTarget: (to: unknown) => (target = to),
    readRenderTargetPixels: () => undefined,
    render: () => {
      drawn.push([fake.xr.enabled, target === OWN]);
      render();
    },
  };
  return { fake, drawn, target: () => target };
}

const context = {
  createImageData: () => ({ data: new Uint8ClampedArray(16) }),
  putImageData: vi.fn(),
};
const canvas = { getContext: () => context } as unknown as HTMLCanvasElement;

describe("the view from a camera of the world", () => {
  const look = (fake: unknown): void =>
    lookFrom(fake as WebGLRenderer, new Scene(), new Matrix4(), CAMERA, canvas);

  it("is drawn by that camera, and leaves a headset what it draws into", () => {
    const { fake, drawn, target } = renderer(() => undefined);
    look(fake);
    expect(drawn).toEqual([[false, false]]);
    expect(fake.xr.enabled).toBe(true);
    expect(target()).toBe(OWN);
    expect(context.putImageData).toHaveBeenCalledOnce();
  });

  it("leaves it also where drawing fails", () => {
    const { fake, target } = renderer(() => {
      throw new Error("lost");
    });
    expect(() => look(fake)).toThrow("lost");
    expect(fake.xr.enabled).toBe(true);
    expect(target()).toBe(OWN);
  });
});
