// What the pieces of the view have in common: they live in one context and draw on request.
import type { Camera, Group, Matrix4, Vector3 } from "three";
import type { ViewHost } from "../store/hosts.ts";
import type { OrbitCamera } from "./camera/camera.ts";
import type { Labels } from "./labels/labels.ts";
import type { Links } from "./links/links.ts";
import type { SceneObjects } from "./objects/objects.ts";
import type { Materials } from "./links/materials.ts";
import type { Palette } from "./links/palette.ts";
import type { Aim } from "./pointing/rays.ts";

/** What the parts of a viewer share. */
export interface Pieces {
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
  /** Most points of a workspace in a picture of a headset; null: the window finds out itself. */
  readonly mostPoints: number | null;
  /** Size of the picture [px]. */
  readonly width: number;
  readonly height: number;
  /** The camera of the picture that the pointer is in: one eye's where there are two. */
  readonly eye: Camera;
  /** What a place of the window is in the picture that it belongs to. */
  aim(clientX: number, clientY: number): Aim;
  /** Asks for a picture. */
  invalidate(): void;
}

/** What a part may use: the subjects of the store and the pieces of the viewer that it names. */
export type ViewContext<Host, Named extends keyof Pieces = never> = Pick<Pieces, Named> & {
  readonly studio: Host;
};

/** What the viewer has for its parts. */
export type WholeView = ViewContext<ViewHost, keyof Pieces>;

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
  /** A ray of a hand beside all links, −z of a pose in the world: whether it was meant for this part. */
  goAlong?(X_WH: Matrix4): boolean;
  /** Lets the part take a pointer before links do; null where it does not want it. */
  pointed?(event: PointerEvent): { move(event: PointerEvent): void; end(): void } | null;
  /** Another mechanism, or its numbers have changed. */
  rebuild?(): void;
  dispose(): void;
}
