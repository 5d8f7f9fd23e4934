// Shapes that can be put into the scene, sized to the mechanism.
import type { PageModel } from "../../../kernel/page-model.ts";
import { placeOf, poseAt, type Three } from "../../../kernel/spatial.ts";
import type { Shape, ShapeData } from "../../../wire/messages.ts";
import type { IconName } from "../../icons/paths.ts";

export interface NewShape {
  name: string;
  label: string;
  icon: IconName;
  shape: ShapeData;
}

/** A number of few digits. */
const round = (x: number, digits = 2): number => Number(x.toPrecision(digits));

export function objectShapes(size: number): NewShape[] {
  const s = 0.25 * size;
  return [
    { name: "box", label: "Box", icon: "box", shape: { box: [round(s), round(s), round(s)] } },
    { name: "sphere", label: "Sphere", icon: "sphere", shape: { sphere: round(s / 2) } },
    {
      name: "cylinder",
      label: "Cylinder",
      icon: "cylinder",
      shape: { cylinder: [round(s / 2), round(1.5 * s)] },
    },
  ];
}

/** Where a new object is seen and can be reached: beside the last frame, and others [m]. */
export function roomFor(
  model: Pick<PageModel, "size" | "siteCount">,
  poses: Float64Array,
  others: number,
): Three {
  const [x, y, z] = placeOf(poseAt(poses, model.siteCount - 1));
  const rounded = (one: number): number => Number(one.toFixed(3));
  return [rounded(x), rounded(y + (0.6 + 0.4 * others) * model.size), rounded(z)];
}

export function objectIcon(shape: Shape): IconName {
  const body = bodyOf(shape);
  if (body?.box) return "box";
  if (body?.sphere !== undefined) return "sphere";
  return body?.cylinder || body?.capsule ? "cylinder" : "mesh";
}

/** A shape that is neither a word nor a list. */
const bodyOf = (shape: Shape): ShapeData | null =>
  typeof shape === "object" && !Array.isArray(shape) ? shape : null;

/** What the numbers of plain bodies are. */
const LABELS = {
  box: ["length", "width", "height"],
  sphere: ["radius"],
  cylinder: ["radius", "length"],
  capsule: ["radius", "length"],
} as const;

/** The sizes of a plain body [m]; none for meshes and lists of shapes. */
export function shapeSizes(shape: Shape): { label: string; value: number }[] {
  const body = bodyOf(shape);
  if (!body) return [];
  const { box, sphere, cylinder, capsule } = body;
  const labelled = (labels: readonly string[], values: readonly number[]) =>
    labels.map((label, i) => ({ label, value: values[i] }));
  if (box) return labelled(LABELS.box, box);
  if (sphere !== undefined) return labelled(LABELS.sphere, [sphere]);
  if (cylinder) return labelled(LABELS.cylinder, cylinder);
  return capsule ? labelled(LABELS.capsule, capsule) : [];
}

/** A plain body with one of its sizes changed. */
export function withSize(shape: Shape, at: number, value: number): Shape {
  const body = bodyOf(shape);
  if (!body || at >= shapeSizes(shape).length) return shape;
  const { box, cylinder, capsule } = body;
  const size = round(value, 6);
  const changed = <T extends number[]>(values: T): T =>
    Object.assign([...values] as T, { [at]: size });
  if (box) return { ...body, box: changed(box) };
  if (cylinder) return { ...body, cylinder: changed(cylinder) };
  if (capsule) return { ...body, capsule: changed(capsule) };
  return { ...body, sphere: size };
}
