// Shapes that can be put into the scene, sized to the mechanism.
import type { IconName } from "../icons/paths.ts";

export interface NewShape {
  name: string;
  label: string;
  icon: IconName;
  shape: Record<string, unknown>;
}

/** A number of two digits. */
const round = (x: number): number => Number(x.toPrecision(2));

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

export function objectIcon(shape: unknown): IconName {
  if (typeof shape !== "object" || shape === null) return "mesh";
  if ("box" in shape) return "box";
  if ("sphere" in shape) return "sphere";
  return "cylinder" in shape || "capsule" in shape ? "cylinder" : "mesh";
}
