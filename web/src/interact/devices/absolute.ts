// Absolute devices with six degrees of freedom: from where a hand was and is to where a part should be.
import type { Four, Three } from "../../kernel/spatial.ts";
import { along, minus, multiply } from "../../kernel/spatial.ts";
import type { DeviceData } from "../../wire/messages.ts";

/** A pose: of a hand, or of what it moves. */
export interface SixPose {
  position: Three;
  quat: Four;
}

/** What a hand of a headset is. */
export interface HeadsetHand {
  kind: "tracked" | "controller" | "pointer";
  side: "left" | "right" | "none";
}

export const HEADSET_TYPES = ["controller", "hand", "tracker"] as const;

/** The device of the file that a hand is; undefined: none of them. A tracker is held by no hand. */
export function deviceOf(
  hand: HeadsetHand,
  declared: readonly DeviceData[],
): DeviceData | undefined {
  const type =
    hand.kind === "tracked"
      ? "hand"
      : hand.kind !== "controller"
        ? null
        : hand.side === "none"
          ? "tracker"
          : "controller";
  return declared.find(
    (data) =>
      data.type === type &&
      (data.side === null || data.side === hand.side) &&
      // one with a port is read by the studio
      !(type === "tracker" && data.port),
  );
}

/**
 * Where a part should be: it makes the hand's way times the scale, and turns as the hand does.
 * Neither needs the hand to be at the part: only what has changed since the beginning counts.
 */
export function follow(
  hand: { from: SixPose; now: SixPose },
  part: SixPose,
  scale: number,
): SixPose {
  const way = minus(hand.now.position, hand.from.position);
  const turn = multiply(hand.now.quat, conjugate(hand.from.quat));
  return {
    position: along(part.position, scale, way),
    quat: multiply(turn, part.quat),
  };
}

function conjugate([w, x, y, z]: Four): Four {
  return [w, -x, -y, -z];
}
