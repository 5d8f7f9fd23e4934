// Tolerances as shares of the mechanism's size; angles count in radians beside them.
// Written by native/write_tolerances.py from src/kinegen/kernels/tolerances.py: edit there.

/** The solver closes loops to this: some digits above rounding. */
export const CLOSED = 1e-10;

/** Loops with a smaller gap count as closed: what the solver left, and rounding on top of it. */
export const SHUT = 1e-9;

/**
 * Loops of poses that people or files give count as closed below this: angles have six
 * digits.
 */
export const SHOWN_CLOSED = 1e-6;

/** Handles that are dragged count as met below this. */
export const MET = 1e-9;

/**
 * Values below this share of the largest count as zero: closing a loop in a singular pose
 * leaves errors of about the root of rounding, 1e-8.
 */
export const RANK = 1e-6;
