// Shapes that can be put into the scene, sized to the mechanism.
import type { PageModel } from "../../kernel/page-model.ts";
import { placeOf, poseAt } from "../../kernel/spatial.ts";
import type { IconName } from "../icons/paths.ts";

export interface NewShape {
  name: string;
  label: string;
  icon: IconName;
  shape: Record<string, unknown>;
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
): number[] {
  const [x, y, z] = placeOf(poseAt(poses, model.siteCount - 1));
  return [x, y + (0.6 + 0.4 * others) * model.size, z].map((one) => Number(one.toFixed(3)));
}

export function objectIcon(shape: unknown): IconName {
  if (typeof shape !== "object" || shape === null) return "mesh";
  if ("box" in shape) return "box";
  if ("sphere" in shape) return "sphere";
  return "cylinder" in shape || "capsule" in shape ? "cylinder" : "mesh";
}

/** The kinds of plain bodies, and what their numbers are. */
const SIZES: Record<string, readonly string[]> = {
  box: ["length", "width", "height"],
  sphere: ["radius"],
  cylinder: ["radius", "length"],
  capsule: ["radius", "length"],
};

/** The sizes of a plain body [m]; none for meshes and lists of shapes. */
export function shapeSizes(shape: unknown): { label: string; value: number }[] {
  if (typeof shape !== "object" || shape === null) return [];
  const [kind, labels] = Object.entries(SIZES).find(([name]) => name in shape) ?? [];
  if (!kind || !labels) return [];
  const values = [(shape as Record<string, unknown>)[kind]].flat();
  return labels.map((label, i) => ({ label, value: Number(values[i]) }));
}

/** A plain body with one of its sizes changed. */
export function withSize(shape: unknown, at: number, value: number): unknown {
  const sizes = shapeSizes(shape).map((size) => size.value);
  const kind = Object.keys(SIZES).find((name) => name in (shape as object));
  if (!kind || at >= sizes.length) return shape;
  sizes[at] = round(value, 6);
  return { ...(shape as object), [kind]: sizes.length === 1 ? sizes[0] : sizes };
}
