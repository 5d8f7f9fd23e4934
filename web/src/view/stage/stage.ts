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
  PointLight,
  Quaternion,
  Scene,
  SRGBColorSpace,
  type Texture,
  Vector3,
  WebGLRenderer,
} from "three";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import type { Palette } from "../links/palette.ts";
import { toThree } from "../spaces.ts";
import type { Shining } from "../world/lights.ts";
import type { LightData } from "../../wire/messages.ts";

/** Light from all sides beside a file's own, as a share of full light. */
const AMBIENT = 0.1;

export class Stage {
  readonly scene = new Scene();
  readonly renderer: WebGLRenderer;
  private readonly hemisphere = new HemisphereLight("#ffffff", "#8c93a0", 1);
  private readonly key = new DirectionalLight("#fff4e6", 2);
  private readonly fill = new DirectionalLight("#dfe9ff", 0.5);
  private environment: Texture | null = null;
  /** Lights of the file, which shine instead of the studio's own. */
  private given: (DirectionalLight | PointLight)[] = [];
  private palette: Palette | null = null;
  private radius = 1;
  private hasBackdrop = true;
  /** Metres of the world per metre of the eyes that see it. */
  scale = 1;

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
    softShadow(this.key);
    this.scene.add(this.hemisphere, this.key, this.key.target, this.fill, this.fill.target);
    if (!lowfx) {
      const generator = new PMREMGenerator(this.renderer);
      this.environment = generator.fromScene(new RoomEnvironment(), 0.04).texture;
      generator.dispose();
      this.scene.environment = this.environment;
    }
  }

  /** Lights that the file declares, by type: the studio's own shine only where there are none. */
  illuminate(types: readonly LightData["type"][]): void {
    for (const one of this.given) {
      this.scene.remove(one);
      if (one instanceof DirectionalLight) this.scene.remove(one.target);
      one.dispose();
    }
    this.given = types.map((type) => {
      if (type === "point") return new PointLight();
      const made = new DirectionalLight();
      softShadow(made);
      made.shadow.intensity = this.key.shadow.intensity;
      made.castShadow = this.renderer.shadowMap.enabled;
      this.scene.add(made.target);
      return made;
    });
    this.key.visible = this.fill.visible = this.given.length === 0;
    if (this.given.length) this.scene.add(...this.given);
    if (this.palette) this.paint(this.palette);
  }

  /** Puts a light of the file where it is now. */
  shine(i: number, { color, intensity, position, direction }: Shining): void {
    const light = this.given[i];
    light.color.set(color);
    light.intensity = intensity;
    if (light instanceof DirectionalLight) {
      light.target.position.copy(this.key.target.position);
      toThree(direction, light.position)
        .multiplyScalar(-4 * this.radius)
        .add(light.target.position);
      this.castFor(light);
    } else {
      // three.js measures distances as the eyes do: in a small world lamps would be too near
      light.intensity /= this.scale ** 2;
      toThree(position, light.position);
    }
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.drawBackdrop();
    this.hemisphere.groundColor.set(palette.dark ? "#39404c" : "#a7adb8");
    const ambient = this.environment ? 1 : 3.2;
    this.hemisphere.intensity = ambient * (palette.dark ? 0.5 : 0.62);
    this.scene.environmentIntensity = palette.dark ? 0.36 : 0.4;
    if (this.given.length) {
      // as in the pictures of cameras: a little light from all sides
      this.hemisphere.intensity = AMBIENT * Math.PI;
      this.scene.environmentIntensity = 0;
    }
    this.key.intensity = palette.dark ? 1.9 : 1.65;
    this.fill.intensity = palette.dark ? 0.5 : 0.45;
    this.fill.color = new Color(palette.dark ? "#9db8ff" : "#dfe9ff");
  }

  /** Whether there is a background; a headset has a sky of its own, or the room it is in. */
  set backdrop(on: boolean) {
    this.hasBackdrop = on;
    this.drawBackdrop();
  }

  private drawBackdrop(): void {
    (this.scene.background as Texture | null)?.dispose();
    const { palette, hasBackdrop } = this;
    this.scene.background = palette && hasBackdrop ? gradient(palette.sky, palette.floor) : null;
  }

  /**
   * Lights and shadow for a ball of a radius around a point of the world.
   * @param upright Turns z into what is up.
   */
  light(centre: [number, number, number], radius: number, upright: Quaternion): void {
    const far = 4 * radius;
    this.radius = radius;
    const beside = (x: number, y: number, z: number) =>
      new Vector3(x, y, z)
        .multiplyScalar(far)
        .applyQuaternion(upright)
        .add(new Vector3(...centre))
        .toArray();
    toThree(beside(-0.45, -0.55, 0.95), this.key.position);
    toThree(beside(0.8, 0.3, 0.4), this.fill.position);
    // a ceiling is bright wherever up is
    const up = toThree(new Vector3(0, 0, 1).applyQuaternion(upright).toArray());
    this.hemisphere.position.copy(up);
    this.scene.environmentRotation.setFromQuaternion(
      new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), up),
    );
    toThree(centre, this.key.target.position);
    this.fill.target.position.copy(this.key.target.position);
    this.castFor(this.key);
  }

  /** Fits a light's shadow to what there is. */
  private castFor({ shadow }: DirectionalLight): void {
    const { camera } = shadow;
    const [far, half] = [4 * this.radius, 1.7 * this.radius];
    Object.assign(camera, { left: -half, right: half, top: half, bottom: -half });
    camera.near = 0.5 * far;
    camera.far = 2.2 * far;
    camera.updateProjectionMatrix();
    shadow.normalBias = 0.008 * this.radius;
    shadow.bias = -0.0004;
  }

  /** Compiles what every part of the scene needs, also of those that are hidden. */
  prepare(camera: Camera): void {
    this.renderer.compile(this.scene, camera);
  }

  set shadows(on: boolean) {
    this.renderer.shadowMap.enabled = on && !this.lowfx;
    this.key.castShadow = this.renderer.shadowMap.enabled;
    for (const one of this.given)
      one.castShadow = one instanceof DirectionalLight && this.key.castShadow;
  }

  /**
   * Leaves out shadows for a while: none is drawn or seen. Unlike turning them off, which compiles all
   * materials again, this takes no time.
   */
  set sparesShadows(on: boolean) {
    this.renderer.shadowMap.autoUpdate = !on;
    for (const light of [this.key, ...this.given])
      if (light instanceof DirectionalLight) light.shadow.intensity = on ? 0 : 1;
  }

  dispose(): void {
    this.environment?.dispose();
    (this.scene.background as Texture | null)?.dispose();
    this.renderer.dispose();
  }
}

function softShadow({ shadow }: DirectionalLight): void {
  shadow.mapSize.set(2048, 2048);
  shadow.radius = 5;
  shadow.normalBias = 0.02;
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
