// Values of signals as people read them.

/** Numbers of a signal that are written out. */
const SHOWN = 3;
/** Digits of a number that stands alone, and of several side by side. */
const ALONE = 4;
const TOGETHER = 3;

/** Less is what rounding leaves of nothing. */
const NOTHING = 1e-9;

const number = (value: number, digits: number): string => {
  if (!Number.isFinite(value)) return "–";
  const shown = Math.abs(value) < NOTHING ? 0 : Number(value.toPrecision(digits));
  return String(shown).replaceAll("-", "−");
};

/** A signal's value with its unit: '1.66 m', '0, 0, 9.81 m/s²', '–' where there is none. */
export function valueText(values: ArrayLike<number> | undefined, unit: string): string {
  if (!values) return "–";
  const digits = values.length > 1 ? TOGETHER : ALONE;
  const shown = Array.from(values)
    .slice(0, SHOWN)
    .map((one) => number(one, digits));
  if (values.length > SHOWN) shown.push("…");
  return [shown.join(", "), unit].filter(Boolean).join(" ");
}
