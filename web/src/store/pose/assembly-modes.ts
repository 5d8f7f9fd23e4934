// Going to another assembly mode: the loops closed in another way, the motors where they are.
import type { ModeData } from "../../wire/messages.ts";
import type { PoseHost } from "../hosts.ts";

/** Goes there with the loops closed; where there is no such way, it is taken apart and put together. */
export function assembleAs(studio: PoseHost, { name, q }: ModeData): void {
  const pose = Float64Array.from(q);
  const label = `assemble as ${name}`;
  if (studio.moveTo(pose, label)) return;
  studio.setPose(pose, "set");
  studio.commitPose(label);
}
