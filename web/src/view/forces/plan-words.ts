// How near a motion under forces comes to the things around, as planned and as run, in words.
import type { PlanCheck } from "../../wire/messages.ts";

/** What a plan does to the things around, in words. */
export function planText(plan: PlanCheck, length: (metres: number) => string): string {
  if (plan.distance === null) return "The planned motion is free of collisions.";
  if (plan.start === null)
    return `The planned motion is free of collisions: ${length(plan.distance)} to ${plan.object} at the closest point.`;
  const depth = length(-plan.distance);
  return `As planned, ${plan.link} hits ${plan.object} at ${plan.start.toFixed(1)} s, ${depth} deep.`;
}

/** How near a run came to the things around. */
export function runText(
  least: number,
  object: string,
  length: (metres: number) => string,
): { text: string; isClear: boolean } {
  if (least < 0) return { text: `This run hit ${object}, ${length(-least)} deep.`, isClear: false };
  const near = Number.isFinite(least) ? `: ${length(least)} to ${object} at the closest point` : "";
  return { text: `This run is free of collisions so far${near}.`, isClear: true };
}
