// How things stand, in words and in the units that the user has: the same words in all places.
import type { Trouble } from "../store/pose/condition.ts";
import type { Opening } from "../store/pose/openings.ts";
import type { Settings } from "../store/settings.ts";
import { lengthText, valueText } from "./units.ts";

type Units = Pick<Settings, "lengthUnit" | "angleUnit">;

/** Lengths below this [m] are written with a power of ten. */
const TINY = 1e-9;
/** Below this a turn [rad] is rounding. */
const TURNED = 1e-6;

/** By how much a loop is open. */
export function gapWords({ distance, turn }: Opening, units: Units): string {
  const parts = turn > TURNED ? [valueText(turn, "rad", units)] : [];
  // a loop that does not close is never open by 0 mm, however small the mechanism is
  if (distance > TINY) parts.unshift(lengthText(distance, units.lengthUnit));
  else if (parts.length === 0) parts.push(`${distance.toExponential(1)} m`);
  return parts.join(" and ");
}

/** Why a mechanism cannot be assembled, after the words that say so. */
export function causeWords(reason: string): string {
  return reason.replace(/^mechanism '.*?' cannot be assembled: /, "");
}

/** What is amiss, in one sentence without a full stop. */
export function troubleWords(trouble: Trouble, units: Units): string {
  switch (trouble.kind) {
    case "open": {
      const { opening, reason } = trouble;
      const where = `the loop closed by '${opening.joint}' is open by ${gapWords(opening, units)}`;
      return reason === null ? where : `cannot be assembled: ${where}`;
    }
    case "problems":
      return `the text has ${trouble.count === 1 ? "a problem" : `${trouble.count} problems`}: the view shows the last version without problems`;
    case "stopped":
    case "refused":
      return trouble.reason;
    case "lost":
      return "not connected to the studio: changes are kept in this page";
    case "beyond": {
      const { joint, side, value, unit } = trouble.limit;
      return `joint '${joint}' is beyond its ${side} limit (${valueText(value, unit, units)})`;
    }
  }
}
