// A zone frame by frame: the mechanism goes through the poses that were found.
import type { ModelHost, MotionHost, WorkspaceHost } from "../../../store/hosts.ts";
import { motionOf } from "../../../store/motion/motion.ts";
import type { AppOf } from "../../state/app.svelte.ts";

/** Time from one pose to the next [s]. */
const STEP = 0.04;

/** Loads the poses of a mode as a motion and plays it; it can be scrubbed like any other. */
export async function playThrough(
  app: AppOf<ModelHost & MotionHost & WorkspaceHost>,
  mode: string,
): Promise<void> {
  const { studio } = app;
  const poses = await studio.workspace.way(mode);
  const { model } = studio;
  if (!poses?.length || model === null) return;
  const times = poses.map((_, i) => i * STEP);
  studio.player.load(motionOf(model, `zone ${mode}`, times, poses, "linear"));
  studio.player.play();
}
