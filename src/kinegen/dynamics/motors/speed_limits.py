"""Speed limits: efforts that bring motors to their largest speed and not beyond.

Near its limit a motor gives what it pushes against, and as much more as brings it nearer to the
limit. What it pushes against is the part of its last effort that did not accelerate it: gravity and
friction, but also a stop or an object in the fingers of a gripper, which no model of the arm knows.
So a light finger closes at its speed and then grips with all its force.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.motors.backlash import BacklashRotors
from kinegen.dynamics.motors.motor import Motors, motor_mobility
from kinegen.kernels import Floats, ServoState
from kinegen.mechanism.model import Model

__all__ = ["SpeedLimits"]

APPROACH = 0.3
"""Share of the way to its limit that a motor may go in a step. With such shares, motors that move
each other (up to 3.6 times as easily as each alone) reach their limits together without ringing."""
LOAD_SHARE = 0.3
"""Share of the last step in the estimate of the load, where it grows; of one that stands, all."""
STANDING = 1 / 16
"""Share of the limit below which a motor stands."""
PASSED = 1.02
"""Share of the limit beyond which the load was an inertia, and is halved at each step."""
LIGHTEST = 1 / 16
"""Least share of the inertia at the start that is expected: below what it needs, nothing is
limited."""


@dataclass(slots=True, eq=False)
class SpeedLimits:
    """What motors with a speed limit push against, from step to step."""

    model: Model
    motors: Motors
    backlash: BacklashRotors | None
    step: float
    which: npt.NDArray[np.bool_]
    """Motors with a speed limit, (nv,)."""
    state: Floats
    """Of the servos, by :class:`~kinegen.kernels.ServoState`, (rows, nv): what each motor pushes
    against, its last effort on the joint, and the joint's speed before that."""

    @classmethod
    def of(
        cls,
        model: Model,
        motors: Motors,
        backlash: BacklashRotors | None,
        step: float,
        state: Floats,
    ) -> SpeedLimits | None:
        """Of the motors that have one; None where none has."""
        which = motors.driven & np.isfinite(motors.speed) & (motors.inertia > 0)
        if not which.any():
            return None
        return cls(model, motors, backlash, step, which, state)

    def span(self, q: Floats, v: Floats, speed: Floats, wanted: Floats) -> tuple[Floats, Floats]:
        """Least and greatest efforts (nv,) that keep the limits over the next step.

        Args:
            q: Where the joints are.
            v: Their speeds.
            speed: Those of the motors, which differ within backlash.
            wanted: Efforts that the servos ask for.
        """
        low, high = np.full(len(v), -np.inf), np.full(len(v), np.inf)
        limit = np.where(self.which, self.motors.speed, 0.0)
        rate = APPROACH / self.step
        least = LIGHTEST * rate * self.motors.inertia * (limit - np.abs(speed))
        near = self.which & (np.abs(wanted) > least)
        load = self.state[ServoState.LOAD]
        load[~near] = 0.0
        if near.any():
            inertia, slack = self._inertia(q)
            known = near & np.isfinite(self.state[ServoState.BEFORE])
            load[known] = self._estimate(np.where(slack, 0.0, inertia), v, speed, limit)[known]
            room = np.where(near, rate * inertia, 0.0)
            high = np.where(near, load + room * (limit - speed), high)
            low = np.where(near, load - room * (limit + speed), low)
        return low, high

    def _inertia(self, q: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """What each motor moves within a step, and which move a rotor in its backlash."""
        out, slack = np.zeros(self.model.nv), np.zeros(self.model.nv, dtype=bool)
        eased = np.diag(motor_mobility(self.model, q, self.motors.driven))
        out[self.motors.driven] = np.where(eased > 0, 1 / np.where(eased > 0, eased, 1.0), 0.0)
        if self.backlash is not None:
            out[self.backlash.index], slack[self.backlash.index] = self.backlash.rotor, True
        return out, slack

    def _estimate(self, inertia: Floats, v: Floats, speed: Floats, limit: Floats) -> Floats:
        """The load, from what the last efforts did; through backlash, they are the load."""
        before, efforts = self.state[ServoState.BEFORE], self.state[ServoState.EFFORT]
        gained, most = np.where(np.isfinite(before), v - before, 0.0), self.motors.effort
        found = np.clip(efforts - inertia * gained / self.step, -most, most)
        # a load that is gone is gone at once: what held a finger does not throw it
        left = np.clip(self.state[ServoState.LOAD], np.minimum(0, found), np.maximum(0, found))
        stands = np.maximum(np.abs(speed), np.abs(gained)) <= STANDING * limit
        load = left + np.where(stands, 1.0, LOAD_SHARE) * (found - left)
        return np.asarray(np.where(speed * np.sign(load) > PASSED * limit, 0.5 * load, load))
