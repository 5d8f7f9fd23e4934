// What the pieces of the view have in common: they live in one context and draw on request.
import type { Camera, Group, Vector3 } from "three";
import type { ViewHost } from "../store/hosts.ts";
import type { OrbitCamera } from "./camera/camera.ts";
import type { Labels } from "./labels/labels.ts";
import type { Links } from "./links/links.ts";
import type { SceneObjects } from "./objects/objects.ts";
import type { Materials } from "./links/materials.ts";
import type { Palette } from "./links/palette.ts";
import type { Aim } from "./pointing/rays.ts";

/** What a part may use of the viewer. */
export interface ViewContext {
  readonly studio: ViewHost;
  /** Everything in world coordinates (z up) hangs here. */
  readonly root: Group;
  readonly links: Links;
  readonly objects: SceneObjects;
  readonly labels: Labels;
  readonly camera: OrbitCamera;
  readonly materials: Materials;
  readonly palette: Palette;
  /** Links that hands in a headset are at. */
  readonly touched: ReadonlySet<number>;
  /** Radius of the mechanism [m]: sizes of marks are fractions of it. */
  readonly extent: number;
  /** Height of the picture [px]. */
  readonly height: number;
  /** The camera of the picture that the pointer is in: one eye's where there are two. */
  readonly eye: Camera;
  /** What a place of the window is in the picture that it belongs to. */
  aim(clientX: number, clientY: number): Aim;
  /** Asks for a picture. */
  invalidate(): void;
}

/** A piece of the view. */
export interface Part {
  /** Before a picture: put everything where it belongs; `seconds` since the one before. */
  frame?(seconds: number): void;
  /** Colours have changed. */
  paint?(palette: Palette): void;
  /** Places that are to be seen when everything is. */
  places?(): Vector3[];
  /** A click beside all links, in the canvas [px]: whether it was meant for this part. */
  click?(x: number, y: number): boolean;
  /** Lets the part take a pointer before links do; null where it does not want it. */
  pointed?(event: PointerEvent): { move(event: PointerEvent): void; end(): void } | null;
  /** Another mechanism, or its numbers have changed. */
  rebuild?(): void;
  dispose(): void;
}
