// Primitives that links are drawn with, and what they need to know about a model.
// Twin of src/kinegen/mechanism/shapes/data.py.
import type { ModelData } from "../wire/messages.ts";
import type { Mat3, Vec3 } from "./vectors.ts";

/** What a primitive stands for; a viewer chooses its colour by it. */
export type Role = "bar" | "joint" | "motor" | "ground" | "tool";

/** What every primitive says: a simple solid S on a link L. */
export interface Look {
  role: Role;
  /** Colour index: 0 is ground and platforms, every limb has its own number from 1. */
  branch: number;
  /** 0 or 1, alternating along a limb, so that neighbours can be distinguished. */
  tone: number;
  /** Colour given in the file, which overrides role and branch. */
  color: string | null;
}

export interface Placed extends Look {
  /** R_LS, by rows. */
  rotation: Mat3;
  /** p_LS, of the solid's centre [m]. */
  translation: Vec3;
}

/** A cuboid; full edge lengths [m]. */
export interface Box extends Placed {
  kind: "box";
  size: Vec3;
}
/** A cylinder along its z axis, centred [m]. */
export interface Cylinder extends Placed {
  kind: "cylinder";
  radius: number;
  length: number;
}
/** A cylinder along z with a half ball on each end; length between the ball centres [m]. */
export interface Capsule extends Placed {
  kind: "capsule";
  radius: number;
  length: number;
}
export interface Sphere extends Placed {
  kind: "sphere";
  radius: number;
}
/** A flat convex piece: an outline in its xy plane (counter-clockwise), thickened along z [m]. */
export interface Plate extends Placed {
  kind: "plate";
  /** What weighs and touches. */
  outline: [number, number][];
  thickness: number;
  /** Of a plate with round corners: what they lie around [m]; pictures draw them rounder. */
  points: [number, number][];
  /** Of the round corners [m]. */
  radius: number;
}
/** A mesh file, as named in the RAFF file. */
export interface MeshRef extends Placed {
  kind: "mesh";
  file: string;
  scale: Vec3;
}
/** A height field: a grid over its xy plane, solid below; of fixed objects only. */
export interface Heights extends Placed {
  kind: "heights";
  /** Heights [m]: rows along y, from the smallest y on, each along x. */
  rows: number[][];
  /** Of the whole field along x and y [m], centred. */
  size: [number, number];
  /** Of the body below 0, or below its lowest height [m]. */
  depth: number;
}
export type Primitive = Box | Cylinder | Capsule | Sphere | Plate | MeshRef | Heights;

/** What the shapes read of a model; a PageModel is one. */
export interface ShapeModel {
  readonly data: Pick<
    ModelData,
    "links" | "joints" | "loops" | "frames" | "link_shapes" | "link_colors"
  > &
    Partial<Pick<ModelData, "drawn">>;
  /** Placements × 12: rotation by rows, translation [m]; as they are now. */
  readonly transforms: ArrayLike<number>;
}

/** Displacement of sliding joints along z [m], by joint index. */
export type Travels = ReadonlyMap<number, number>;

export const hasMotor = (model: ShapeModel, joint: number): boolean =>
  model.data.joints[joint].variables.some((variable) => variable.motor);
