// Pieces of the view that only show something.
import { Approach } from "./objects/approach.ts";
import { JointAxes } from "./marks/axes.ts";
import { AvatarView } from "./avatar/view.ts";
import { Badges } from "./labels/badges.ts";
import { ChosenJoint } from "./marks/chosen-joint.ts";
import { Compass } from "./stage/compass.ts";
import { DesignView } from "./design/view.ts";
import { TipsView } from "./forces/tips-view.ts";
import { PlanView } from "./forces/plan-view.ts";
import { NamedFrames } from "./marks/frames.ts";
import { KeepInSight } from "./camera/keep-in-sight.ts";
import type { MeshFiles } from "./links/meshes/files.ts";
import { MapPlaces } from "./workspace/map-places.ts";
import { Openings } from "./marks/openings.ts";
import { Overlays } from "./overlays/host.ts";
import type { Part, WholeView } from "./part.ts";
import { PeopleView } from "./people/view.ts";
import { ProgramItems } from "./programs/items.ts";
import { BacklashCloud } from "./workspace/backlash-cloud.ts";
import { Reach } from "./reach.ts";
import { ReachView } from "./workspace/reach-view.ts";
import { NodeColorsView } from "./world/node-colors.ts";
import { RealRobotView } from "./world/real-robot.ts";
import { SensorMarks } from "./world/sensor-marks.ts";
import { SensorRays } from "./world/sensor-rays.ts";

export function makeParts(context: WholeView, files: MeshFiles): Part[] {
  return [
    new JointAxes(context),
    new NamedFrames(context),
    new ChosenJoint(context),
    new Approach(context),
    new Reach(context),
    new Badges(context, files),
    new Overlays(context),
    new Openings(context),
    new DesignView(context, files),
    new MapPlaces(context),
    new BacklashCloud(context),
    new ReachView(context),
    new PlanView(context),
    new TipsView(context),
    new ProgramItems(context),
    new Compass(context),
    new SensorRays(context),
    new SensorMarks(context),
    new NodeColorsView(context),
    new RealRobotView(context),
    new PeopleView(context),
    new AvatarView(context),
    new KeepInSight(context),
  ];
}
