// A motion under forces: kept where it is not yet, then followed by the motors.
import type { MotionData } from "../../wire/messages.ts";
import { freshName } from "../names.ts";
import type { App } from "../state/app.svelte.ts";

/** Opens the forces with a motion at its beginning, ready to be run and led aside. */
export async function followMotion(app: App, motion: MotionData): Promise<void> {
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
export function pathMotion({ studio }: App): MotionData | null {
  const names = studio.snapshot?.motions.map((one) => one.name) ?? [];
  return studio.paths.walk.motion(freshName("path", names));
}
