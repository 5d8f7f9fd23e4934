// A motion under forces: kept where it is not yet, then followed by the motors.
import type { MotionData } from "../../wire/messages.ts";
import type { ModelHost, MotionHost, PathHost, RequestHost, SimulationHost } from "../hosts.ts";

/** Puts the mechanism at the beginning of a motion, ready to be run and led aside. */
export async function follow(
  studio: ModelHost & MotionHost & SimulationHost & RequestHost,
  motion: MotionData,
): Promise<void> {
  const isKept = studio.snapshot?.motions.some(({ name }) => name === motion.name);
  if (!isKept) await studio.storeMotion(motion);
  studio.player.load(null);
  await studio.simulation.set({ motion: motion.name });
}

/** The planned path as a motion with a name of its own, if it can be followed. */
export function pathMotion({ snapshot, paths }: ModelHost & PathHost): MotionData | null {
  const taken = snapshot?.motions.map(({ name }) => name) ?? [];
  let i = 1;
  while (taken.includes(`path${i}`)) i += 1;
  return paths.walk.motion(`path${i}`);
}
