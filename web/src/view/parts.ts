// Pieces of the view that only show something.
import { Approach } from "./approach.ts";
import { JointAxes } from "./axes.ts";
import { Badges } from "./badges.ts";
import { ChosenJoint } from "./chosen-joint.ts";
import { Compass } from "./compass.ts";
import { NamedFrames } from "./frames.ts";
import type { MeshFiles } from "./mesh-files.ts";
import { Overlays } from "./overlays/host.ts";
import type { Part, ViewContext } from "./part.ts";
import { Reach } from "./reach.ts";

export function makeParts(context: ViewContext, files: MeshFiles): Part[] {
  return [
    new JointAxes(context),
    new NamedFrames(context),
    new ChosenJoint(context),
    new Approach(context),
    new Reach(context),
    new Badges(context, files),
    new Overlays(context),
    new Compass(context),
  ];
}
