"""Clearance of a motion: how near it comes to the objects of the scene, and what it would hit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinegen.dynamics.contact.clearance import Clearance, ObjectClearance
from kinegen.errors import whole_number
from kinegen.kinematics.solving.assembling.assembly import close
from kinegen.motion.plan import Plan
from kinegen.motion.recording import Recording
from kinegen.results import Result

__all__ = ["MotionClearance", "motion_clearance"]

SAMPLES = 240
"""Moments of a motion that are looked at."""
MOST_SAMPLES = 1_000_000


@dataclass(frozen=True, slots=True)
class MotionClearance(Result):
    """How near a motion comes to the objects of the scene."""

    nearest: Clearance
    """At the moment when it is nearest to one of them."""
    start: float | None
    """When it is in an object first [s]; None: never."""
    end: float | None
    """When it is in an object last [s]."""


def motion_clearance(
    motion: Recording | Plan, *, clearance: ObjectClearance | None = None, samples: int = SAMPLES
) -> MotionClearance:
    """How near a recorded or planned motion comes to the objects of its mechanism's scene.

    Args:
        motion: The motion.
        clearance: What is measured with, if it was made before.
        samples: Moments that are looked at.
    """
    plan = motion if isinstance(motion, Plan) else Plan(motion)
    model = plan.recording.model
    measured = ObjectClearance(model) if clearance is None else clearance
    count = whole_number(samples, "the number of samples", 2, MOST_SAMPLES)
    times = np.linspace(plan.times[0], plan.times[-1], count).tolist()
    found = []
    for time in times:
        q = plan.at(time)[0]
        found.append(measured.at(close(model, q)[0] if model.constraint_count else q))
    hits = [time for time, one in zip(times, found, strict=True) if one.distance < 0]
    nearest = min(found, key=lambda one: one.distance)
    return MotionClearance(nearest, hits[0] if hits else None, hits[-1] if hits else None)
