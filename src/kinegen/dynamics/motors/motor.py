"""Motors: what each can give at a speed, what it moves, and the gains of its servo."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.motors.hold import Hold, refuse_locked
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.loops import loop_equations
from kinegen.dynamics.tree.motion_equations import mass_matrix
from kinegen.errors import LoadError, NumberError, UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = ["Mode", "Motors", "motor_mobility", "motor_modes", "motor_rows"]

BANDWIDTH = 10.0
"""Natural frequency of a servo whose gains the file does not give [Hz], critically damped."""


class Mode(enum.Enum):
    """The quantity of a motor's target."""

    POSITION = "position"
    VELOCITY = "velocity"
    TORQUE = "torque"
    COMPUTED = "computed"
    """Position, with the torques of the wanted motion computed ahead."""


@dataclass(slots=True, eq=False)
class Motors:
    """The motors of a system, one number per v each; where there is no motor they are idle."""

    driven: npt.NDArray[np.bool_]
    modes: list[Mode]
    effort: Floats
    """Largest effort [N m, N], inf where not given."""
    speed: Floats
    """Largest speed [rad/s, m/s], inf where not given."""
    stall: Floats
    """Effort at rest of a motor whose effort falls with speed, inf where it does not."""
    no_load: Floats
    """Speed at which it has no effort left, inf where it has."""
    kp: Floats
    """[N m/rad, N/m]"""
    kd: Floats
    """[N m s/rad, N s/m]"""
    inertia: Floats
    """What it moves while the other motors are held, rotor included [kg m², kg]."""
    rotor: Floats
    """Of the rotor, seen from the joint [kg m², kg]."""
    backlash: Floats
    """Backlash between motor and joint, from end to end [rad, m]."""
    mobility: Floats
    """Accelerations of all motors by their efforts, (motors, motors)."""

    @classmethod
    def of(cls, system: System, q: Floats, modes: Mapping[str, Mode | str] | None = None) -> Motors:
        """The motors as the file gives them; gains that it does not give follow from inertia at q.

        Args:
            system: The system.
            q: Closed configuration.
            modes: By joint name, instead of the file's.

        Raises:
            LoadError: A motor moves nothing, so that no gain can follow from what it moves.
        """
        model = system.model
        rows = motor_rows(system)
        driven = np.array([row is not None for row in rows], dtype=bool)
        values = dict(model.parameters)

        def numbers(key: str, default: float = math.inf) -> Floats:
            return np.array(
                [
                    float(row[key].evaluate(values)) if row and key in row else default
                    for row in rows
                ]
            )

        effort = np.where(driven, model.blocks.real_part("effort"), math.inf)
        speed = np.where(driven, model.blocks.real_part("speed"), math.inf)
        no_load, stall = numbers("no_load"), numbers("stall")
        stall = np.where(np.isinf(stall) & np.isfinite(no_load), effort, stall)
        _check_curves(model, stall, no_load)
        mobility = motor_mobility(model, q, driven)
        inertia = np.zeros(model.nv)
        inertia[driven] = np.diag(np.linalg.pinv(mobility, rcond=1e-12))
        kp, kd, by_v = numbers("kp", math.nan), numbers("kd", math.nan), _modes(model, rows, modes)
        tuned = np.isnan(kp + kd) & np.array([mode is not Mode.TORQUE for mode in by_v], dtype=bool)
        _check_hold(model, q, driven, tuned)
        kp, kd = _gains(kp, kd, inertia)
        part = model.blocks.real_part
        rotor = np.where(driven, part("gear") ** 2 * part("rotor"), 0.0)
        backlash = np.zeros(model.nv)
        for joint in model.joints:
            slack = system.model.compiled_from.joints[joint.name].backlash
            if slack is not None and joint.v.stop - joint.v.start == 1:
                backlash[joint.v] = slack.evaluate(values)
        backlash[~driven] = 0.0
        return cls(
            driven, by_v, effort, speed, stall, no_load, kp, kd, inertia,
            rotor, backlash, mobility,
        )  # fmt: skip

    def span(self, v: Floats) -> tuple[Floats, Floats]:
        """Least and greatest effort of each motor at speeds v (nv,): its limit and its curve."""
        with np.errstate(divide="ignore", invalid="ignore"):
            curve = np.where(np.isfinite(self.stall), v / self.no_load, 0.0)
            high, low = self.stall * (1 - curve), -self.stall * (1 + curve)
        return np.clip(low, -self.effort, self.effort), np.clip(high, -self.effort, self.effort)

    @property
    def effort_at_rest(self) -> Floats:
        """Largest effort of a motor that stands still, (nv,); inf where not given."""
        return np.minimum(self.effort, self.stall)

    @property
    def damped_step(self) -> float:
        """Longest time [s] for which servos may hold the efforts of their damping.

        Exact for efforts held over a step: h < 2 / (kd/m), of the fastest motion that the motors
        have together.
        """
        which = self._servoed
        inside = which[self.driven]
        rates = self.mobility[np.ix_(inside, inside)] * self.kd[which]
        fastest = float(np.max(np.abs(np.linalg.eigvals(rates)))) if len(rates) else 0.0
        return 2 / fastest if fastest > 0 else math.inf

    @property
    def stable_step(self) -> float:
        """Longest time [s] for which servos may hold their efforts: also h < 2 kd/kp."""
        stiff = self._servoed & (self.kp > 0)
        steps = [
            2 * float(self.kd[i]) / float(self.kp[i])
            for i, mode in enumerate(self.modes)
            if stiff[i] and mode is not Mode.VELOCITY
        ]
        return min([self.damped_step, *steps])

    @property
    def _servoed(self) -> npt.NDArray[np.bool_]:
        """Motors with a servo, (nv,): all but those whose target is a torque."""
        has = np.array([mode is not Mode.TORQUE for mode in self.modes], dtype=bool)
        return np.asarray(self.driven & has)


def motor_mobility(model: Model, q: Floats, driven: npt.NDArray[np.bool_]) -> Floats:
    """Accelerations of the driven joints by their efforts, loops closed, (motors, motors)."""
    hold = Hold.at(model, q, loop_equations(model, q), driven)
    by_motion = np.where(hold.idle[:, None], 0.0, hold.power.T)
    mass = hold.free @ mass_matrix(model, q) @ hold.free.T
    return np.asarray(by_motion @ np.linalg.solve(mass, by_motion.T))


def _check_hold(
    model: Model, q: Floats, driven: npt.NDArray[np.bool_], tuned: npt.NDArray[np.bool_]
) -> None:
    """Refuse motors that are locked, and those whose gains would follow from what they move."""
    hold = Hold.at(model, q, loop_equations(model, q), driven)
    refuse_locked(model, q, hold)
    idle = np.flatnonzero(driven)[hold.idle]
    for joint in model.joints:
        if any(joint.v.start <= i < joint.v.stop and tuned[i] for i in idle):
            raise LoadError(
                f"motor '{joint.name}' of mechanism '{model.name}' moves nothing here, at a dead "
                "centre, so its gains cannot be derived from the load: start elsewhere, or specify "
                "its 'kp' and 'kd'"
            )


def has_backlash(system: System) -> bool:
    """Whether a joint with a motor has backlash."""
    joints = system.model.compiled_from.joints.values()
    return any(
        joint.backlash is not None and any(motor is not None for motor in joint.motors)
        for joint in joints
    )


def motor_modes(system: System, given: Mapping[str, Mode | str] | None = None) -> list[Mode]:
    """The mode of each v, as the file says or as given by joint name."""
    return _modes(system.model, motor_rows(system), given)


def motor_rows(system: System) -> list[Mapping[str, Any] | None]:
    """The motor's keys of each v, None where there is none."""
    rows: list[Mapping[str, Any] | None] = [None] * system.model.nv
    for joint in system.model.joints:
        motors = system.model.compiled_from.joints[joint.name].motors
        for k, i in enumerate(range(joint.v.start, joint.v.stop)):
            rows[i] = motors[k] if k < len(motors) else None
    return rows


def _gains(kp: Floats, kd: Floats, inertia: Floats) -> tuple[Floats, Floats]:
    """Gains as given; where one or both are missing, critically damped."""
    omega = 2 * math.pi * BANDWIDTH
    with np.errstate(divide="ignore", invalid="ignore"):
        from_kd = np.where(inertia > 0, kd**2 / (4 * inertia), 0.0)
    both = np.isnan(kp) & np.isnan(kd)
    stiff = np.where(both, omega**2 * inertia, np.where(np.isnan(kp), from_kd, kp))
    damp = np.where(np.isnan(kd), 2 * np.sqrt(stiff * inertia), kd)
    return stiff, damp


def _modes(
    model: Model, rows: list[Mapping[str, Any] | None], given: Mapping[str, Mode | str] | None
) -> list[Mode]:
    given = {} if given is None else given
    if not hasattr(given, "items"):
        raise UsageError(
            f"modes must be given by joint name, such as {{'elbow': 'torque'}}, got {given!r}"
        )
    modes = [Mode((row or {}).get("mode", "position")) for row in rows]
    for name, mode in given.items():
        joint = model.joint(name)
        try:
            chosen = Mode(mode)
        except ValueError:
            allowed = ", ".join(one.value for one in Mode)
            raise UsageError(f"mode of '{name}' must be one of {allowed}, got {mode!r}") from None
        for i in range(joint.v.start, joint.v.stop):
            modes[i] = chosen
    return modes


def _check_curves(model: Model, stall: Floats, no_load: Floats) -> None:
    for joint in model.joints:
        part = slice(joint.v.start, joint.v.stop)
        if (np.isfinite(no_load[part]) & np.isinf(stall[part])).any():
            raise NumberError(
                f"the motor of joint '{joint.name}' has 'no_load' but no 'stall': specify its "
                "effort "
                "at rest"
            )
