// What suits a mechanism when its simulation is first asked for.
import { traitsOf } from "../../kernel/tables/joint-types.ts";
import type { PageModel } from "../../kernel/page-model.ts";
import { readSkeleton } from "../../shapes/index.ts";
import type { SimulationSettings } from "./settings.ts";
import type { ModelHost } from "../hosts.ts";

/** Cosine of the tilt up to which a plane is level. */
const LEVEL = 0.9;

/** Floating ones stand on a floor, flat ones hang in their plane. */
export function suitable({
  model,
  snapshot,
}: Pick<ModelHost, "model" | "snapshot">): Partial<SimulationSettings> {
  if (model === null) return {};
  const { joints } = model.data;
  const floats = joints.some(({ type, is_cut: isCut }) => traitsOf(type).floats && !isCut);
  const motors = joints.some(({ variables }) => variables.some((one) => one.motor));
  const { world } = snapshot ?? {};
  // agents drive the motors, and the room is as the file has it
  if (world)
    return {
      ...{ engine: world.engine, step: world.step, gravity: "file", own: [0, 0, -9.81] },
      ...{ floor: floats, hold: motors, objects: true },
    };
  // beside things that stand or lie there, down is down
  const flat = liesFlat(model) && !snapshot?.objects.length;
  return {
    floor: floats,
    hold: floats && motors,
    objects: false,
    gravity: flat && !/^gravity:/m.test(snapshot?.text ?? "") ? "own" : "file",
    own: flat ? [0, -9.81, 0] : [0, 0, -9.81],
  };
}

/** Whether it moves in a level plane: gravity of the usual kind would not move it. */
export function liesFlat(model: PageModel): boolean {
  if (!model.data.planar) return false;
  // by the way out of the plane: an arm in an upright one may be stretched out level
  const { plane } = readSkeleton(model, new Map());
  return plane !== null && Math.abs(plane.normal[2]) > LEVEL;
}
