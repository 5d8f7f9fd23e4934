// Tolerances as shares of the mechanism's size, as src/kinegen/kinematics/tolerances.py has them;
// angles count in radians beside them. A test compares both files.

/** The solver closes loops to this. */
export const CLOSED = 1e-10;
/** Loops with a smaller gap count as closed, and pins as kept. */
export const SHUT = 1e-9;
/** Loops of poses that people or files give count as closed below this. */
export const SHOWN_CLOSED = 1e-6;
/** Handles count as met below this. */
export const MET = 1e-9;
