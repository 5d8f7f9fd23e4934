// A motion under forces, with its panel opened.
import type { ModelHost, MotionHost, RequestHost, SimulationHost } from "../../../store/hosts.ts";
import { follow } from "../../../store/simulation/follow.ts";
import type { MotionData } from "../../../wire/messages.ts";
import type { AppOf } from "../../state/app.svelte.ts";

type FollowApp = AppOf<ModelHost & MotionHost & SimulationHost & RequestHost>;

/** Opens the forces with a motion at its beginning, ready to be run and led aside. */
export async function followMotion(app: FollowApp, motion: MotionData): Promise<void> {
  app.showRight("forces");
  await app.ask("Following the motion", follow(app.studio, motion));
}
