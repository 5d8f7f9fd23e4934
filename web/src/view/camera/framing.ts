// How large everything is and where: what the camera, the lights and the floor are set by.
import { Box3, Vector3 } from "three";
import type { Links } from "../links/links.ts";
import type { SceneObjects } from "../objects/objects.ts";

const UP = new Vector3(0, 0, 1);

/** Tools over the picture take this much of its height at most, else it would be too small. */
const COVER = 0.36;

export interface Frame {
  /** Places all over it, in the world [m]. */
  cloud: Vector3[];
  centre: [number, number, number];
  /** Of the ball around everything [m]. */
  radius: number;
  /** Height of the floor, along what is up [m]. */
  floor: number;
}

/** @param up The direction away from the floor. */
export function measure(links: Links, objects: SceneObjects, up = UP): Frame {
  const cloud = [...links.cloud(), ...objects.cloud()];
  if (!cloud.length) cloud.push(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1));
  const box = new Box3().setFromPoints(cloud);
  const centre = box.getCenter(new Vector3()).toArray();
  const radius = Math.max(0.5 * box.getSize(new Vector3()).length(), 1e-3);
  // What hangs from its base does not stand on the floor.
  const lowest = cloud.reduce((least, p) => Math.min(least, p.dot(up)), Infinity);
  const base = links.cloud([0]);
  const hangs = base.length > 0 && base.every((p) => p.dot(up) > lowest + 0.3 * radius);
  return { cloud, centre, radius, floor: lowest - (hangs ? 0.16 : 0.004) * radius };
}

/**
 * Parts of the picture's height under tools that lie across its upper or lower end: elements that
 * say `data-over="top"` or `data-over="bottom"`.
 */
export function coveredBy(canvas: HTMLCanvasElement): { top: number; bottom: number } {
  const box = canvas.getBoundingClientRect();
  const tools = (where: string) =>
    [...(canvas.parentElement?.querySelectorAll(`[data-over="${where}"]`) ?? [])].map((tool) =>
      tool.getBoundingClientRect(),
    );
  const part = (sizes: number[]) => Math.min(COVER, Math.max(0, ...sizes) / (box.height || 1));
  return {
    top: part(tools("top").map(({ bottom }) => bottom - box.top)),
    bottom: part(tools("bottom").map(({ top }) => box.bottom - top)),
  };
}
