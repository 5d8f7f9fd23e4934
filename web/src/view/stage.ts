// Renderer, light and background: a small photographer's studio.
import {
  type Camera,
  CanvasTexture,
  Color,
  DirectionalLight,
  HemisphereLight,
  NeutralToneMapping,
  PCFShadowMap,
  PMREMGenerator,
  type Quaternion,
  Scene,
  SRGBColorSpace,
  type Texture,
  Vector3,
  WebGLRenderer,
} from "three";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import type { Palette } from "./links/palette.ts";
import { toThree } from "./spaces.ts";

export class Stage {
  readonly scene = new Scene();
  readonly renderer: WebGLRenderer;
  private readonly hemisphere = new HemisphereLight("#ffffff", "#8c93a0", 1);
  private readonly key = new DirectionalLight("#fff4e6", 2);
  private readonly fill = new DirectionalLight("#dfe9ff", 0.5);
  private environment: Texture | null = null;

  constructor(
    canvas: HTMLCanvasElement,
    readonly lowfx: boolean,
  ) {
    this.renderer = new WebGLRenderer({
      canvas,
      antialias: !lowfx,
      powerPreference: "high-performance",
    });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setPixelRatio(lowfx ? 0.5 : Math.min(2, globalThis.devicePixelRatio || 1));
    const { shadow } = this.key;
    shadow.mapSize.set(2048, 2048);
    shadow.radius = 5;
    shadow.normalBias = 0.02;
    this.scene.add(this.hemisphere, this.key, this.key.target, this.fill, this.fill.target);
    if (!lowfx) {
      const generator = new PMREMGenerator(this.renderer);
      this.environment = generator.fromScene(new RoomEnvironment(), 0.04).texture;
      generator.dispose();
      this.scene.environment = this.environment;
    }
  }

  paint(palette: Palette): void {
    (this.scene.background as Texture | null)?.dispose();
    this.scene.background = gradient(palette.sky, palette.floor);
    this.hemisphere.groundColor.set(palette.dark ? "#39404c" : "#a7adb8");
    const ambient = this.environment ? 1 : 3.2;
    this.hemisphere.intensity = ambient * (palette.dark ? 0.5 : 0.62);
    this.scene.environmentIntensity = palette.dark ? 0.36 : 0.4;
    this.key.intensity = palette.dark ? 1.9 : 1.65;
    this.fill.intensity = palette.dark ? 0.5 : 0.45;
    this.fill.color = new Color(palette.dark ? "#9db8ff" : "#dfe9ff");
  }

  /**
   * Lights and shadow for a ball of a radius around a point of the world.
   * @param upright Turns z into what is up.
   */
  light(centre: [number, number, number], radius: number, upright: Quaternion): void {
    const far = 4 * radius;
    const beside = (x: number, y: number, z: number) =>
      new Vector3(x, y, z)
        .multiplyScalar(far)
        .applyQuaternion(upright)
        .add(new Vector3(...centre))
        .toArray();
    toThree(beside(-0.45, -0.55, 0.95), this.key.position);
    toThree(beside(0.8, 0.3, 0.4), this.fill.position);
    toThree(centre, this.key.target.position);
    this.fill.target.position.copy(this.key.target.position);
    const { camera } = this.key.shadow;
    const half = 1.7 * radius;
    Object.assign(camera, { left: -half, right: half, top: half, bottom: -half });
    camera.near = 0.5 * far;
    camera.far = 2.2 * far;
    camera.updateProjectionMatrix();
    this.key.shadow.normalBias = 0.008 * radius;
    this.key.shadow.bias = -0.0004;
  }

  /** Compiles what every part of the scene needs, also of those that are hidden. */
  prepare(camera: Camera): void {
    this.renderer.compile(this.scene, camera);
  }

  set shadows(on: boolean) {
    this.renderer.shadowMap.enabled = on && !this.lowfx;
    this.key.castShadow = this.renderer.shadowMap.enabled;
  }

  dispose(): void {
    this.environment?.dispose();
    (this.scene.background as Texture | null)?.dispose();
    this.renderer.dispose();
  }
}

/** A background that gets a little darker towards the bottom. */
function gradient(top: string, bottom: string): Texture {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2, 256];
  const context = canvas.getContext("2d");
  if (context) {
    const fill = context.createLinearGradient(0, 0, 0, 256);
    fill.addColorStop(0, top);
    fill.addColorStop(1, bottom);
    context.fillStyle = fill;
    context.fillRect(0, 0, 2, 256);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
