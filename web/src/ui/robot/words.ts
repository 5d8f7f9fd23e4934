// Words and numbers about a real robot.
import type { Differences } from "../../store/robot/robot.ts";
import type { DrivenServo } from "../../wire/messages.ts";
import { curveColor } from "../parts/charts/colors.ts";
import { factorOf, type LengthUnit, type Quantity, withUnit } from "../quantities/format.ts";
import type { ChartLine } from "../parts/charts/line-chart.ts";

export { stateText } from "../../store/robot/state-text.ts";

export const quantityOf = ({ unit }: Pick<DrivenServo, "unit">): Quantity =>
  unit === "m" ? "length" : "angle";

/** Where a joint may go. */
export function rangeText(servo: DrivenServo, length: LengthUnit): string {
  const end = (value: number | null): string =>
    value === null ? "no limit" : withUnit(value, quantityOf(servo), length);
  if (servo.lower === null && servo.upper === null) return "no limits";
  return `${end(servo.lower)} to ${end(servo.upper)}`;
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
