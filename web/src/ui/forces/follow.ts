// A motion under forces: kept where it is not yet, then followed by the motors.
import type {
  JobHost,
  ModelHost,
  MotionHost,
  RequestHost,
  SimulationHost,
} from "../../store/hosts.ts";
import type { MotionData } from "../../wire/messages.ts";
import { freshName } from "../names.ts";
import type { AppOf } from "../state/app.svelte.ts";

type FollowApp = AppOf<ModelHost & MotionHost & SimulationHost & JobHost & RequestHost>;

/** Opens the forces with a motion at its beginning, ready to be run and led aside. */
export async function followMotion(app: FollowApp, motion: MotionData): Promise<void> {
  const { studio } = app;
  const stored = studio.snapshot?.motions.find((one) => one.name === motion.name);
  if (!stored) {
    const kept = await app.ask(
      "Keeping the motion",
      studio.storeMotion(motion).then(() => true),
    );
    if (!kept) return;
  }
  studio.player.load(null);
  app.showRight("forces");
  await studio.simulation.set({ motion: motion.name });
}

/** The path in hand as a motion, if it can be followed. */
export function pathMotion({ studio }: FollowApp): MotionData | null {
  const names = studio.snapshot?.motions.map((one) => one.name) ?? [];
  return studio.paths.walk.motion(freshName("path", names));
}
