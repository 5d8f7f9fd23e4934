"""Backlash: a dead zone between a motor and its joint, with the rotor moving by itself in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kinegen.dynamics.motors.motor import Motors
from kinegen.kernels import Floats, Ints, ServoState
from kinegen.kernels.reference.reduced.servos import turn_rotor

__all__ = ["BacklashRotors", "BacklashServo"]

GEAR_SHARE = 0.25
"""Share of a geared rotor's inertia that the gears behind the backlash have, which turn with the
joint. Models of hobby servos in MuJoCo divide it so: 0.01 behind and 0.028 kg m² before it, in the
file that the library's so101 names. With all of it before the backlash, light joints would need
soft teeth."""
LIGHT_ROTOR = 0.05
"""Share of the joint's inertia that a rotor has where the file gives none."""
FLANK_RATE = 0.5
"""Natural frequency of a joint on a flank times the step: as stiff as held efforts allow."""
FLANK_DAMPING = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class BacklashServo:
    """What all motors give over a step, one number per v each."""

    push: Floats
    """Effort at its start."""
    kp: Floats
    """By how much it falls with the way of the rotor."""
    kd: Floats
    """And with the gain of its speed."""
    low: Floats
    """Least effort at its end."""
    high: Floats


@dataclass(slots=True, eq=False)
class BacklashRotors:
    """Rotors that drive their joints through backlash; all numbers are seen from the joint."""

    index: Ints
    """v of the joints with backlash, (n,)."""
    half: Floats
    """Half the backlash [rad, m]."""
    rotor: Floats
    stiffness: Floats
    """Of a tooth's flank [N m/rad, N/m]."""
    damping: Floats
    step: float
    state: Floats
    """Where angles and speeds are kept, by :class:`~kinegen.kernels.ServoState`, (rows, nv)."""

    @classmethod
    def of(cls, motors: Motors, step: float, state: Floats | None = None) -> BacklashRotors | None:
        """Of all motors with backlash; None when there are none.

        Args:
            motors: All motors.
            step: Of the servos [s].
            state: Where angles and speeds are kept; None: in an array of its own.
        """
        (index,) = np.nonzero(motors.backlash > 0)
        if not len(index):
            return None
        inertia = motors.inertia[index]
        geared = (1 - GEAR_SHARE) * motors.rotor[index]
        rotor = np.where(geared > 0, geared, LIGHT_ROTOR * inertia)
        joint = np.maximum(inertia - geared, 1e-3 * inertia)
        stiffness = joint * (FLANK_RATE / step) ** 2
        damping = 2 * FLANK_DAMPING * np.sqrt(stiffness * joint)
        return cls(
            index.astype(np.int32), motors.backlash[index] / 2, rotor, stiffness, damping, step,
            np.zeros((len(ServoState), len(motors.backlash))) if state is None else state,
        )  # fmt: skip

    @property
    def angle(self) -> Floats:
        """Of the motors [rad, m]."""
        found: Floats = self.state[ServoState.ANGLE, self.index]
        return found

    @property
    def speed(self) -> Floats:
        """Of the motors [rad/s, m/s]."""
        found: Floats = self.state[ServoState.SPEED, self.index]
        return found

    def soften(self, mobility: Floats) -> None:
        """Make flanks softer where joints move each other: each is lighter than with others held.

        Args:
            mobility: Accelerations of the joints by their efforts without any rotor, (n, n).
        """
        rates = mobility * self.stiffness
        fastest = float(np.max(np.abs(np.linalg.eigvals(rates))))
        share = min(1.0, (FLANK_RATE / self.step) ** 2 / fastest)
        self.stiffness, self.damping = share * self.stiffness, math.sqrt(share) * self.damping
        # dampers on their own: their fastest rate, as that of the springs
        rates = mobility * self.damping
        fastest = float(np.max(np.abs(np.linalg.eigvals(rates))))
        self.damping = min(1.0, 2 * FLANK_DAMPING * FLANK_RATE / self.step / fastest) * self.damping

    def reset(self, angle: Floats) -> None:
        """Begin in the middle of the backlash, at rest."""
        self.state[ServoState.ANGLE, self.index] = angle
        self.state[ServoState.SPEED, self.index] = 0.0

    def seen(self, error: Floats, angle: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Errors and speeds with the motors' own angles in place of the joints'."""
        errors, speeds = error.copy(), v.copy()
        errors[self.index] += angle - self.angle
        speeds[self.index] = self.speed
        return errors, speeds

    def through(self, servo: BacklashServo, angle: Floats, v: Floats) -> Floats:
        """What reaches the joints with backlash over a step, (n,).

        Args:
            servo: What the motors give.
            angle: Of the joints with backlash, (n,).
            v: All speeds, (nv,).
        """
        out, angles, speeds = np.zeros(len(self.index)), self.angle, self.speed
        for n, i in enumerate(self.index.tolist()):
            given = (servo.push[i], servo.kp[i], servo.kd[i], servo.low[i], servo.high[i])
            speeds[n], out[n] = turn_rotor(
                (angles[n], speeds[n], self.rotor[n]), given, (angle[n] + self.step * v[i], v[i]),
                (self.half[n], self.stiffness[n], self.damping[n]), self.step,
            )  # fmt: skip
        self.state[ServoState.ANGLE, self.index] = angles + self.step * speeds
        self.state[ServoState.SPEED, self.index] = speeds
        return out

    @property
    def period(self) -> Floats:
        """Of a tooth on its flank [s]."""
        return np.full(len(self.index), 2 * math.pi * self.step / FLANK_RATE)
