// Virtual cameras: a ring around the mechanism, drawn off-screen by the page itself.
import { Box3, type BufferGeometry, Color, Matrix4, Mesh, type Object3D, PerspectiveCamera, Vector3, WebGLRenderTarget } from "three"; // prettier-ignore
import { cameraRing, type PinholeCamera } from "../../kernel/hull/cameras.ts";
import type { ImageSource, Pictures } from "../../store/avatar/source.ts";
import type { ModelHost } from "../../store/hosts.ts";
import type { Viewer } from "../viewer.ts";

export interface VirtualOptions {
  count: number;
  pixels: readonly [number, number];
  /** Vertical opening angle [rad]. */
  fieldOfView: number;
  /** Links that the avatar is made of, by index; null: all of them. */
  links: readonly number[] | null;
}

export const USUAL_RING: VirtualOptions = {
  ...{ count: 8, pixels: [320, 240], fieldOfView: Math.PI / 4, links: null },
};
/** Cameras stand this much farther away than needed to see the whole box; as in hull/virtual.py. */
const FIT = 1.25;
/** Space around the mechanism, as a share of its longest side. */
const AIR = 0.05;
/** The box follows the mechanism when it leaves it, or fills less than this of its diagonal. */
const SMALLEST = 0.7;
/** Cameras of the world look along x with z up, those of three.js along -z with y up. */
const TURN = new Matrix4().set(0, 0, -1, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1);

export class VirtualSource implements ImageSource {
  cameras: readonly PinholeCamera[] = [];
  readonly backgrounds = [];
  readonly isLinear = true;
  readonly isReady = true;
  readonly isInScene = true;
  box: readonly number[];
  trouble = "";
  private readonly target: WebGLRenderTarget;
  private readonly eye: PerspectiveCamera;
  private seen = "";

  constructor(
    private readonly viewer: Pick<Viewer, "isCurrent" | "links" | "root" | "stage">,
    private readonly studio: ModelHost,
    readonly options: VirtualOptions = USUAL_RING,
  ) {
    const [width, height] = options.pixels;
    this.target = new WebGLRenderTarget(width, height * options.count);
    this.eye = new PerspectiveCamera((options.fieldOfView * 180) / Math.PI, width / height);
    this.eye.matrixAutoUpdate = false;
    this.box = [0, 0, 0, 1, 1, 1];
    this.fit(this.extent());
  }

  async take(again: boolean): Promise<Pictures | null> {
    const { viewer, studio } = this;
    const { q, model } = studio;
    // what has not moved looks as it did
    const seen = `${model?.data.name} ${Array.from(q).join()} ${model?.reals.join()}`;
    if ((seen === this.seen && !again) || !viewer.isCurrent) return null;
    this.seen = seen;
    // pictures of the view may be rarer than those of the cameras
    viewer.links.update(studio.poses);
    const extent = this.extent();
    this.trouble = extent.isEmpty() ? "The chosen links have no shapes that cameras could see" : "";
    if (extent.isEmpty()) return null;
    this.follow(extent);
    this.draw();
    const [width, height] = this.options.pixels;
    const { count } = this.options;
    const pixels = new Uint8Array(4 * width * height * count);
    const { renderer } = viewer.stage;
    await renderer.readRenderTargetPixelsAsync(this.target, 0, 0, width, height * count, pixels);
    return this.cameras.map((_, i) => upright(pixels, 4 * width * height * i, width, height));
  }

  close(): void {
    this.target.dispose();
  }

  /** Links that are drawn. */
  private get bodies(): Object3D[] {
    const { links } = this.options;
    const { views } = this.viewer.links;
    return views.filter((_, i) => links === null || links.includes(i)).map(({ group }) => group);
  }

  private extent(): Box3 {
    const inWorld = this.viewer.root.matrixWorld.clone().invert();
    const box = new Box3();
    for (const body of this.bodies) {
      body.updateWorldMatrix(true, true);
      body.traverse((part) => {
        if (!(part instanceof Mesh)) return;
        const geometry: BufferGeometry = part.geometry;
        if (geometry.boundingBox === null) geometry.computeBoundingBox();
        const own = geometry.boundingBox;
        if (own && !own.isEmpty())
          box.union(own.clone().applyMatrix4(inWorld.clone().multiply(part.matrixWorld)));
      });
    }
    return box;
  }

  private follow(extent: Box3): void {
    const now = new Box3(new Vector3(...this.box.slice(0, 3)), new Vector3(...this.box.slice(3)));
    const size = (box: Box3): number => box.getSize(new Vector3()).length();
    if (!now.containsBox(extent) || size(extent) < SMALLEST * size(now)) this.fit(extent);
  }

  /** Box and ring for what there is now. */
  private fit(extent: Box3): void {
    if (extent.isEmpty()) return;
    const sides = extent.getSize(new Vector3());
    const air = AIR * Math.max(sides.x, sides.y, sides.z);
    extent = extent.clone().expandByScalar(air);
    this.box = [...extent.min.toArray(), ...extent.max.toArray()];
    const { count, pixels, fieldOfView } = this.options;
    const centre = extent.getCenter(new Vector3());
    const reach = extent.getSize(new Vector3()).length() / 2;
    const narrow = Math.min(1, pixels[0] / pixels[1]) * Math.tan(fieldOfView / 2);
    const distance = (FIT * reach) / Math.sin(Math.atan(narrow));
    const target = centre.toArray();
    this.cameras = cameraRing({ target, distance, count, pixels, fieldOfView });
    this.eye.near = 0.005 * distance;
    this.eye.far = 10 * (distance + reach);
    this.eye.updateProjectionMatrix();
  }

  /** All cameras, one above the other, with nothing but the links in sight. */
  private draw(): void {
    const { viewer, target } = this;
    const { renderer, scene } = viewer.stage;
    const { root } = viewer;
    const [width, height] = this.options.pixels;
    const bodies = new Set(this.bodies);
    const hidden = [
      ...scene.children.filter((one) => one !== root && !("isLight" in one)),
      ...root.children.filter((one) => one !== viewer.links.group),
      ...viewer.links.views.map(({ group }) => group).filter((one) => !bodies.has(one)),
      ...viewer.links.views.map(({ edges }) => edges),
    ].filter(({ visible }) => visible);
    const { background } = scene;
    const color = renderer.getClearColor(new Color());
    const alpha = renderer.getClearAlpha();
    const { autoUpdate } = renderer.shadowMap;
    const { enabled } = renderer.xr;
    const present = renderer.getRenderTarget();
    try {
      for (const one of hidden) one.visible = false;
      scene.background = null;
      renderer.setClearColor(0, 0);
      renderer.shadowMap.autoUpdate = false;
      // else the headset's eyes would draw here
      renderer.xr.enabled = false;
      target.scissorTest = true;
      this.cameras.forEach((camera, i) => {
        target.viewport.set(0, height * i, width, height);
        target.scissor.set(0, height * i, width, height);
        renderer.setRenderTarget(target);
        const [a, b, c, d, e, f, g, h, k, x, y, z] = camera.pose;
        this.eye.matrix
          .set(a, b, c, x, d, e, f, y, g, h, k, z, 0, 0, 0, 1)
          .premultiply(root.matrixWorld)
          .multiply(TURN);
        this.eye.updateMatrixWorld(true);
        renderer.clear();
        renderer.render(scene, this.eye);
      });
    } finally {
      renderer.setRenderTarget(present);
      renderer.xr.enabled = enabled;
      renderer.shadowMap.autoUpdate = autoUpdate;
      renderer.setClearColor(color, alpha);
      scene.background = background;
      for (const one of hidden) one.visible = true;
    }
  }
}

/** A picture with its upper row first, from one with its lower row first. */
function upright(
  from: Uint8Array,
  at: number,
  width: number,
  height: number,
): Uint8Array<ArrayBuffer> {
  // prettier-ignore
  const out = new Uint8Array(4 * width * height);
  for (let row = 0; row < height; ++row) {
    const start = at + 4 * width * (height - 1 - row);
    out.set(from.subarray(start, start + 4 * width), 4 * width * row);
  }
  return out;
}
