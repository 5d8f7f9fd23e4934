// Tolerances that several rooms share; lengths in sizes of the mechanism, angles in rad.
// Written by native/write_tolerances.py from src/kinegen/kernels/tolerances.py: edit there.
#pragma once

namespace kinegen::tolerance {

// Loops with a smaller gap count as closed: what the solver left, and rounding on top of it.
constexpr double SHUT = 1e-9;

// Loops wider than this are open: what is said about their motion means nothing.
constexpr double OPEN = 1e-6;

// Values below this share of the largest count as zero: closing a loop in a singular pose leaves
// errors of about the root of rounding, 1e-8.
constexpr double RANK = 1e-6;

// Scaled rows of closed loops that are smaller than this follow from the others.
constexpr double LOOP_RANK = 1e-7;

// Singular values of loop rows below this are zero at a branch point that was found by search.
constexpr double BRANCH_RANK = 1e-5;

// A pose counts as singular when a singular value that is usually there is smaller than this.
constexpr double SINGULAR = 1e-4;

// Scaled motions below this move nothing.
constexpr double UNSEEN = 1e-6;

// A variable moves nothing when its inertia is below this share of its bodies' own.
constexpr double MASSLESS = 1e-13;

// How far beyond a limit a variable may be and still be within it: rounding.
constexpr double LIMIT_SLACK = 1e-9;

// Sine or slope of a swing below which it leans in no direction.
constexpr double UPRIGHT = 1e-9;

// Joints that are slower than this [m/s, rad/s] stand still: breakaway friction holds them.
constexpr double STANDSTILL = 1e-9;

// Impacts that are slower than this [m/s, rad/s] do not throw back.
constexpr double QUIET = 1e-3;

}  // namespace kinegen::tolerance
