// Words and numbers about a real robot.
import type { Differences } from "../../store/robot/robot.ts";
import type { DrivenServo, DriveState } from "../../wire/messages.ts";
import { curveColor } from "../bottom/colors.ts";
import { factorOf, type LengthUnit, type Quantity, withUnit } from "../format.ts";
import type { ChartLine } from "../parts/line-chart.ts";

export const quantityOf = ({ unit }: Pick<DrivenServo, "unit">): Quantity =>
  unit === "m" ? "length" : "angle";

/** Where a joint may go. */
export function rangeText(servo: DrivenServo, length: LengthUnit): string {
  const end = (value: number | null): string =>
    value === null ? "no limit" : withUnit(value, quantityOf(servo), length);
  if (servo.lower === null && servo.upper === null) return "no limits";
  return `${end(servo.lower)} to ${end(servo.upper)}`;
}

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
      if (task === "follow") return "Follows the screen";
      return task === "play" ? "Plays the motion" : "Motors on: the robot holds";
  }
}

/** Differences of joints that turn [°] or slide [length] as the lines of a chart. */
export function differenceLines(
  servos: readonly DrivenServo[],
  columns: Differences["lag"],
  unit: DrivenServo["unit"],
  length: LengthUnit,
): ChartLine[] {
  return servos.flatMap((servo, i) => {
    const values = columns[i];
    if (servo.unit !== unit || !values?.some(Number.isFinite)) return [];
    const factor = factorOf(quantityOf(servo), length);
    return [
      { label: servo.joint, color: curveColor(i), values: values.map((one) => one / factor) },
    ];
  });
}
