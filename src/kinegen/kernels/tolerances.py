"""What counts as nothing: the tolerances that several rooms share, each with its reason.

This is their one home. ``make tables`` writes those of the compiled kernels and of the page from
here. Constants that one algorithm alone needs stay beside it.

Lengths count in sizes of the mechanism unless a unit is given, angles in radians.
"""

from __future__ import annotations

__all__ = [
    "BRANCH_RANK",
    "CLOSED",
    "LIMIT_SLACK",
    "LOOP_RANK",
    "MASSLESS",
    "MET",
    "OPEN",
    "QUIET",
    "RANK",
    "REACHED",
    "SHOWN_CLOSED",
    "SHUT",
    "SINGULAR",
    "STANDSTILL",
    "UNSEEN",
    "UPRIGHT",
]

# Loops and targets

CLOSED = 1e-10
"""The solver closes loops to this: some digits above rounding."""
SHUT = 1e-9
"""Loops with a smaller gap count as closed: what the solver left, and rounding on top of it."""
SHOWN_CLOSED = 1e-6
"""Loops of poses that people or files give count as closed below this: angles have six digits."""
OPEN = 1e-6
"""Loops wider than this are open: statements about their motion are meaningless."""
MET = 1e-9
"""Handles that are dragged count as met below this."""
REACHED = 1e-8
"""Targets of a search count as met below this."""

# Ranks

RANK = 1e-6
"""Values below this share of the largest count as zero: closing a loop in a singular pose leaves
errors of about the root of rounding, 1e-8."""
LOOP_RANK = 1e-7
"""Scaled rows of closed loops that are smaller than this follow from the others."""
BRANCH_RANK = 1e-5
"""Singular values of loop rows below this are zero at a branch point that was found by search."""
SINGULAR = 1e-4
"""A pose counts as singular when a singular value that is usually there is smaller than this."""
UNSEEN = 1e-6
"""Scaled motions below this move nothing."""
MASSLESS = 1e-13
"""A variable moves nothing when its inertia is below this share of its bodies' own."""

# Ends of travel, impacts, friction

LIMIT_SLACK = 1e-9
"""How far beyond a limit a variable may be and still be within it: rounding."""
UPRIGHT = 1e-9
"""Sine or slope of a swing below which it leans in no direction."""
STANDSTILL = 1e-9
"""Joints that are slower than this [m/s, rad/s] stand still: breakaway friction holds them."""
QUIET = 1e-3
"""Impacts that are slower than this [m/s, rad/s] do not throw back."""
