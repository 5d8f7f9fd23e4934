// Starting a world from anywhere in the page.
import type { SimulationHost } from "../../store/hosts.ts";
import type { AppOf } from "../state/app.svelte.ts";

/** Runs the world, and shows its sensors and signals where there is room beside it. */
export function simulateWorld(app: AppOf<SimulationHost>): void {
  if (!app.narrow) app.showRight("forces");
  void app.studio.simulation.toggle();
}
