// Even steps in time: how long one is, and how many poses a motion then has.
const NICE = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** A round step [s] that makes no more poses than there are. */
export function evenStep(times: readonly number[]): number {
  const duration = (times.at(-1) ?? 0) - (times[0] ?? 0);
  if (times.length < 2 || !(duration > 0)) return 0.02;
  const least = duration / (times.length - 1);
  const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
  // rounding must not add a pose
  const nice = NICE.find((one) => one * power >= least * (1 - 1e-9)) ?? 10;
  return Number((nice * power).toPrecision(3));
}

/** Poses that a motion has with such a step: `Recording.resample` counts the same. */
export function evenCount(times: readonly number[], step: number): number {
  const duration = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const steps = Math.ceil(duration / step - 1e-9);
  return Math.max(1, steps) + 1;
}
