// Shapes of links as plain data: what the view draws, every link in its own frame.
// Twin of src/kinegen/mechanism/shapes/shapes.py: the same primitives from the same numbers.
import { autoShapes } from "./auto.ts";
import type { ModelData } from "../wire/messages.ts";
import type { Primitive, ShapeModel, Travels } from "./data.ts";
import { shapesFromSpec } from "./spec.ts";

export type * from "./data.ts";
export { readSkeleton, type Plane, type Skeleton } from "./skeleton.ts";
export { drawnOutline } from "./solid.ts";
export { shapesFromSpec } from "./spec.ts";
export { posedTravels, roomyTravels } from "./travels.ts";

/** Primitives of every link, from the transforms as they are now. */
export function linkShapes(model: ShapeModel, travels: Travels = new Map()): Primitive[][] {
  const automatic = autoShapes(model, travels);
  return model.data.link_shapes.map((spec, link) =>
    coloured(shapesFromSpec(spec, automatic[link]), model.data.link_colors[link]),
  );
}

/** The same with what is drawn for couplings, which the server made: gears, belts, cams. */
export function withCouplings(shapes: Primitive[][], drawn: ModelData["drawn"]): Primitive[][] {
  const parts = drawn as unknown as (Primitive & { link: number })[];
  if (parts.length === 0) return shapes;
  return shapes.map((own, link) => [...own, ...parts.filter((part) => part.link === link)]);
}

/** The shapes with a link's own colour on everything but joints and motors. */
function coloured(shapes: Primitive[], color: string | null): Primitive[] {
  if (color === null) return shapes;
  return shapes.map((shape) =>
    shape.role === "joint" || shape.role === "motor" ? shape : { ...shape, color },
  );
}
