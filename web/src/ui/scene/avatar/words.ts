// Words about the avatar from cameras.

/** A volume [m³] in litres. */
export function litres(volume: number): string {
  const value = 1000 * volume;
  if (value === 0) return "0 litres";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return `${value.toFixed(digits)} litres`;
}

/** How often there is another avatar. */
export function rateText(rate: number): string {
  return rate === 0 ? "at rest" : `${rate.toFixed(rate < 9.95 ? 1 : 0)} Hz`;
}

export function milliseconds(time: number): string {
  return `${time.toFixed(time < 9.95 ? 1 : 0)} ms`;
}
