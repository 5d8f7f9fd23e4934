// Pictures for both eyes on an ordinary screen: beside each other, one above the other, or red-cyan.
import {
  type Camera,
  FramebufferTexture,
  Mesh,
  OrthographicCamera,
  PerspectiveCamera,
  PlaneGeometry,
  type Scene,
  ShaderMaterial,
  Vector2,
  type WebGLRenderer,
} from "three";
import type { Settings } from "../../store/settings.ts";
import type { OrbitCamera } from "../camera/camera.ts";
import type { Aim } from "../pointing/rays.ts";
import { type Cell, cellOf, eyeAt, type Layout, pictureSize, type Side } from "./layout.ts";
import { eyesOf, type View } from "./off-axis.ts";
import type { WallScreen } from "./wall-screen.ts";
import { EYE_DISTANCE } from "../../wire/limits.ts";

const SIDES = [0, 1] as const;

export class Stereo {
  /** Left and right. */
  readonly eyes = [new PerspectiveCamera(), new PerspectiveCamera()] as const;
  private layout: Layout = { mode: "off", swapped: false, squeezed: false };
  private eyeDistance = EYE_DISTANCE;
  private screenWidth = 0.5;
  /** The eye whose picture the pointer is in. */
  private side: Side = 0;
  private isHeld = false;
  private mixer: Mixer | null = null;
  private readonly abort = new AbortController();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly orbit: OrbitCamera,
    /** What this window shows of a wall of screens; null: it is an ordinary window. */
    private readonly wall: WallScreen | null = null,
  ) {
    const { signal } = this.abort;
    const look = (event: PointerEvent): void => {
      // what is dragged stays in the picture in which it was taken
      if (!this.isHeld) this.side = this.sideAt(event.clientX, event.clientY) ?? 0;
      this.isHeld = event.buttons !== 0;
    };
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const)
      canvas.addEventListener(name, look, { signal, capture: true });
  }

  get isOn(): boolean {
    return this.layout.mode !== "off" || this.wall !== null;
  }

  /** Takes over what the user chose; true: pictures have another shape now. */
  choose(settings: Settings): boolean {
    const before = JSON.stringify(this.layout);
    const { stereo, swapEyes, squeezeHalves } = settings;
    this.layout = this.wall?.layout(swapEyes) ?? {
      mode: stereo,
      swapped: swapEyes,
      squeezed: squeezeHalves,
    };
    this.eyeDistance = settings.eyeDistance;
    this.screenWidth = Math.max(0.01, settings.screenWidth);
    return before !== JSON.stringify(this.layout);
  }

  /** Size of the picture that each eye sees [px]. */
  picture(width: number, height: number): [number, number] {
    return pictureSize(this.layout, width, height);
  }

  /** Where labels are shown: in every picture; null where there is only one. */
  cells(width: number, height: number): Cell[] | null {
    const { mode } = this.layout;
    if (mode !== "side" && mode !== "stacked") return null;
    return SIDES.map((side) => cellOf(this.layout, side, width, height));
  }

  /** The camera of the picture that the pointer is in. */
  get eye(): Camera {
    if (this.cells(1, 1) === null && this.wall === null) return this.orbit.camera;
    this.place();
    return this.eyes[this.cells(1, 1) === null ? 0 : this.side];
  }

  /** Where a place of the window is in the picture that it belongs to, and who sees it. */
  aim(clientX: number, clientY: number): Aim {
    const box = this.canvas.getBoundingClientRect();
    const side = this.isHeld ? this.side : this.sideAt(clientX, clientY);
    const isSplit = side !== null && this.cells(1, 1) !== null;
    const cell = cellOf(this.layout, side ?? 0, box.width, box.height);
    const clip = new Vector2(
      ((clientX - box.left - cell.x) / cell.width) * 2 - 1,
      1 - ((clientY - box.top - cell.y) / cell.height) * 2,
    );
    return { clip, eye: isSplit ? this.placed(side) : this.eye };
  }

  /** A place of a picture (-1…1) in the canvas of a size [px]: in the one the pointer is in. */
  inCanvas(x: number, y: number, width: number, height: number): [number, number] {
    const cell = cellOf(this.layout, this.side, width, height);
    return [cell.x + ((x + 1) / 2) * cell.width, cell.y + ((1 - y) / 2) * cell.height];
  }

  /** Draws what both eyes see. */
  draw(renderer: WebGLRenderer, scene: Scene): void {
    if (!this.place()) {
      renderer.clear(); // what a screen cannot show, nobody sees
      return;
    }
    const { width, height } = renderer.getSize(new Vector2());
    if (this.layout.mode === "off") {
      renderer.render(scene, this.eyes[0]);
      return;
    }
    if (this.layout.mode === "anaglyph") {
      this.mixer ??= new Mixer();
      const order = this.layout.swapped ? [1, 0] : [0, 1];
      this.mixer.draw(renderer, scene, this.eyes[order[0]], this.eyes[order[1]]);
      return;
    }
    renderer.setScissorTest(true);
    for (const side of SIDES) {
      const cell = cellOf(this.layout, side, width, height);
      const fromBelow = height - cell.y - cell.height;
      renderer.setViewport(cell.x, fromBelow, cell.width, cell.height);
      renderer.setScissor(cell.x, fromBelow, cell.width, cell.height);
      renderer.shadowMap.autoUpdate = side === 0; // both see the same shadows
      renderer.render(scene, this.eyes[side]);
    }
    renderer.shadowMap.autoUpdate = true;
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, width, height);
  }

  dispose(): void {
    this.abort.abort();
    this.mixer?.dispose();
  }

  private placed(side: Side): Camera {
    this.place();
    return this.eyes[side];
  }

  /** Puts the eyes where they are; false: they see nothing. */
  private place(): boolean {
    if (this.wall !== null) return this.placeBefore(this.wall);
    this.placeBeside();
    return true;
  }

  /** Puts the eyes in front of the screen of a wall. */
  private placeBefore(wall: WallScreen): boolean {
    const views = wall.views();
    if (views === null) return false;
    this.eyes.forEach((one, i) => {
      const view = views[Math.min(i, views.length - 1)];
      one.position.copy(view.position);
      one.quaternion.copy(view.quaternion);
      setProjection(one, view);
    });
    return true;
  }

  /** Puts both eyes beside the camera between them. */
  private placeBeside(): void {
    const { camera, eye } = this.orbit;
    const { eyeDistance, screenWidth } = this;
    const opening = (camera.fov * Math.PI) / 180;
    const pair = { opening, aspect: camera.aspect, depth: eye.distance, eyeDistance, screenWidth };
    const views = eyesOf(pair, camera.near, camera.far);
    camera.updateMatrixWorld();
    views.forEach((view, i) => {
      const one = this.eyes[i];
      one.position.copy(view.position).applyMatrix4(camera.matrixWorld);
      one.quaternion.copy(camera.quaternion);
      [one.near, one.far, one.fov, one.aspect] = [
        camera.near,
        camera.far,
        camera.fov,
        camera.aspect,
      ];
      setProjection(one, view);
    });
  }

  private sideAt(clientX: number, clientY: number): Side | null {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    return eyeAt(this.layout, clientX - left, clientY - top, width, height);
  }
}

function setProjection(camera: PerspectiveCamera, view: View): void {
  camera.projectionMatrix.copy(view.projection);
  camera.projectionMatrixInverse.copy(view.projection).invert();
  camera.updateMatrixWorld(true);
}

/** Red of the left eye's brightness, green and blue of the right eye: colours without much rivalry. */
const FRAGMENT = `
uniform sampler2D first, second;
varying vec2 at;
void main() {
  vec3 a = texture2D(first, at).rgb, b = texture2D(second, at).rgb;
  gl_FragColor = vec4(dot(a, vec3(0.299, 0.587, 0.114)), b.g, b.b, 1.0);
}`;
const VERTEX = `
varying vec2 at;
void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`;

/** Mixes two pictures for red-cyan glasses. */
class Mixer {
  private textures: FramebufferTexture[] = [];
  private readonly material = new ShaderMaterial({
    uniforms: { first: { value: null }, second: { value: null } },
    fragmentShader: FRAGMENT,
    vertexShader: VERTEX,
    depthTest: false,
    depthWrite: false,
  });
  private readonly quad = new Mesh(new PlaneGeometry(2, 2), this.material);
  private readonly flat = new OrthographicCamera();

  draw(renderer: WebGLRenderer, scene: Scene, first: Camera, second: Camera): void {
    const size = renderer.getDrawingBufferSize(new Vector2());
    this.quad.frustumCulled = false;
    const [old] = this.textures;
    const isFit = old?.image.width === size.x && old.image.height === size.y;
    if (!isFit) {
      for (const one of this.textures) one.dispose();
      this.textures = SIDES.map(() => new FramebufferTexture(size.x, size.y));
    }
    [first, second].forEach((eye, i) => {
      renderer.shadowMap.autoUpdate = i === 0;
      renderer.render(scene, eye);
      renderer.copyFramebufferToTexture(this.textures[i]);
    });
    renderer.shadowMap.autoUpdate = true;
    const { uniforms } = this.material;
    [uniforms.first.value, uniforms.second.value] = this.textures;
    renderer.render(this.quad, this.flat);
  }

  dispose(): void {
    for (const one of this.textures) one.dispose();
    this.material.dispose();
    this.quad.geometry.dispose();
  }
}
