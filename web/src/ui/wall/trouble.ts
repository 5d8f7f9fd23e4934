// Why a screen of a wall cannot show its part, in words; null where it can.
import type { WallData, WallState } from "../../wire/messages.ts";
import { standing, viewsOf } from "../../view/stereo/wall.ts";

export interface ScreenFacts {
  name: string;
  /** As the mechanism has it; undefined: there is no mechanism yet. */
  wall: WallData | null | undefined;
  isConnected: boolean;
  state: WallState | null;
}

export function screenTrouble({ name, wall, isConnected, state }: ScreenFacts): string | null {
  if (wall === undefined) return null;
  if (!isConnected) return "The connection to the studio is lost; trying again.";
  if (wall === null)
    return "This mechanism has no wall: set one up in another window, under View › Wall…";
  const screen = wall.screens.find((one) => one.name === name);
  if (!screen) {
    const names = wall.screens.map((one) => one.name).join(", ");
    return `The wall has no screen of this name; its screens: ${names}.`;
  }
  const views = viewsOf(wall, standing(wall, state), screen, { near: 1, far: 2 });
  return views ? null : "The viewer is behind this screen: nothing can be shown.";
}
