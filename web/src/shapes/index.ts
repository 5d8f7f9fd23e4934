// Shapes of links as plain data: what the view draws, every link in its own frame.
// Twin of src/kinegen/mechanism/shapes/shapes.py: the same primitives from the same numbers.
import { autoShapes } from "./auto.ts";
import type { DrawnData } from "../wire/messages.ts";
import type { Primitive, ShapeModel, Travels } from "./data.ts";
import { shapesFromSpec } from "./spec.ts";
import { IDENTITY, type Mat3, type Vec3 } from "./vectors.ts";

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
export function withCouplings(shapes: Primitive[][], drawn: readonly DrawnData[]): Primitive[][] {
  if (drawn.length === 0) return shapes;
  return shapes.map((own, link) => [
    ...own,
    ...drawn.filter((part) => part.link === link).map(solid),
  ]);
}

function solid({ kind, size, outline, ...part }: DrawnData): Primitive {
  const [a = 0, b = 0, c = 0] = size;
  const [x = 0, y = 0, z = 0] = part.translation;
  const R = IDENTITY.map((other, i) => part.rotation[i] ?? other);
  const rotation: Mat3 = [R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]];
  const { role, branch, tone, color } = part;
  const translation: Vec3 = [x, y, z];
  const placed = { rotation, translation, role, branch, tone, color };
  if (kind === "box") return { kind, size: [a, b, c], ...placed };
  if (kind === "cylinder") return { kind, radius: a, length: b, ...placed };
  const corners = outline.map(([u = 0, v = 0]): [number, number] => [u, v]);
  return { kind, outline: corners, thickness: a, points: [], radius: 0, ...placed };
}

/** The shapes with a link's own colour on everything but joints and motors. */
function coloured(shapes: Primitive[], color: string | null): Primitive[] {
  if (color === null) return shapes;
  return shapes.map((shape) =>
    shape.role === "joint" || shape.role === "motor" ? shape : { ...shape, color },
  );
}
