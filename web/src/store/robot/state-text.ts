// The state of a real robot in words.
import type { DriveState } from "../../wire/messages.ts";

/** What the robot does now, in words. */
export function stateText({ phase, task, reason, on_stop }: DriveState): string {
  const held = on_stop === "hold" ? "the motors hold" : "the motors are off";
  switch (phase) {
    case "none":
      return reason;
    case "connecting":
      return "Looking for servos…";
    case "off":
      return task === "teach" ? "Motors off: lead the robot by hand" : "Connected, nothing moves";
    case "stopped":
      return `Stopped (${reason}): ${held}`;
    case "lost":
      return reason;
    case "on":
      if (task === "follow") return "Following the page";
      return task === "play" ? "Playing the motion" : "Motors on: the robot holds";
  }
}
