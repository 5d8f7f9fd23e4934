// What lies under a place of the window: links, objects of the scene, surfaces.
import type { Object3D } from "three";
import { applyPoseBack, poseAt } from "../../kernel/spatial.ts";
import type { ModelHost, SceneHost, SimulationHost } from "../../store/hosts.ts";
import type { Surface } from "../forces/hands-view.ts";
import type { ObjectHit } from "../objects/object-drag.ts";
import type { ViewContext } from "../part.ts";
import { surfaceNormal } from "../path/pointers.ts";
import { castRay, type Hit } from "./rays.ts";

/** Places around a pointer that are tried when it misses what moves [px]. */
const NEAR = [8, 16].flatMap((r) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [
    r * Math.cos((i * Math.PI) / 4),
    r * Math.sin((i * Math.PI) / 4),
  ]),
);

export class Picking {
  constructor(
    private readonly view: ViewContext<
      ModelHost & SimulationHost & SceneHost,
      "root" | "links" | "objects" | "aim"
    >,
  ) {}

  /** A link, and where it is touched; null behind an object. */
  link(clientX: number, clientY: number): Hit | null {
    const found = this.cast(clientX, clientY);
    const link = found && this.linkOf(found.object);
    if (!found || link === null) return null;
    const inverse = this.view.links.views[link].group.matrix.clone().invert();
    return {
      link,
      at: found.at.toArray(),
      point: found.at.clone().applyMatrix4(inverse).toArray(),
      object: found.object,
    };
  }

  /** An object of the scene that no link carries. */
  object(clientX: number, clientY: number): ObjectHit | null {
    const found = this.cast(clientX, clientY);
    const index = found?.object.userData.object as number | undefined;
    if (!found || index === undefined || this.carrier(found.object) !== null) return null;
    return { index, at: found.at.toArray() };
  }

  /** A surface: where, and the way out of it. */
  surface(clientX: number, clientY: number) {
    const found = this.cast(clientX, clientY);
    const normal = found && surfaceNormal(found, this.view.root);
    return found && normal && { at: found.at.toArray(), normal: normal.toArray() };
  }

  /** What a hand would touch: a link, or an object that moves by itself. */
  touched(clientX: number, clientY: number): Surface | null {
    const { model, scene, poses } = this.view.studio;
    const found = this.cast(clientX, clientY);
    const normal = found && surfaceNormal(found, this.view.root);
    if (!found || !normal || !model) return null;
    const link = found.object.userData.link as number | undefined;
    const object = scene.objects[found.object.userData.object as number]?.name;
    const pose = link === undefined ? object && scene.pose(object) : poseAt(poses, link);
    if (!pose || link === 0) return null;
    const at = found.at.toArray();
    const point = applyPoseBack(pose, at);
    const site = link === undefined ? object : model.siteNames[link];
    return { site, at, point: [point[0], point[1], point[2]], normal: normal.toArray() };
  }

  /** The link that a body belongs to, or that carries the object it belongs to. */
  linkOf(body: Object3D): number | null {
    return (body.userData.link as number | undefined) ?? this.carrier(body);
  }

  /** The link that carries an object: who pulls at the object pulls at the link. */
  private carrier(body: Object3D): number | null {
    const { scene, model } = this.view.studio;
    const name = scene.objects[body.userData.object as number]?.name;
    const held = scene.carried.find((one) => one.object === name);
    return held && model ? model.siteLink(model.site(held.site)) : null;
  }

  private cast(clientX: number, clientY: number) {
    const { links, objects, root, studio } = this.view;
    const targets = [...links.targets, objects.group];
    const at = (x: number, y: number) => castRay(this.view.aim(x, y), root, targets);
    const found = at(clientX, clientY);
    // what moves by itself is hard to hit: near it is as good
    if (found || !studio.simulation.isRunning) return found;
    for (const [dx, dy] of NEAR) {
      const near = at(clientX + dx, clientY + dy);
      if (near) return near;
    }
    return null;
  }
}
