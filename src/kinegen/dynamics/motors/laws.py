"""Controllers and actuators of motors: laws of your own between a target and what a joint feels.

A controller turns the target of a motor into the effort that it asks for; an actuator turns that
into the effort that reaches the joint. Both are plug-ins, Kinegen's own too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.motors.motor import Mode, Motors
from kinegen.dynamics.motors.targets import Targets
from kinegen.errors import KinegenError, UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model
from kinegen.plug_ins import PlugIns

__all__ = [
    "ACTUATORS",
    "CONTROLLERS",
    "Actuator",
    "Controller",
    "Lag",
    "MotorData",
    "MotorLaws",
    "Pid",
]


@dataclass(frozen=True, slots=True)
class MotorData:
    """Data of a motor for its controller and actuator; SI units, on the joint side of the gear."""

    joint: str
    mode: Mode
    """Kind of its targets: positions, velocities or torques."""
    step: float
    """Time for which an effort is held [s]."""
    effort: float
    """Largest; inf where the file gives none."""
    speed: float
    """Largest; inf where the file gives none."""
    inertia: float
    """Inertia that it moves at the start, including its rotor."""


class Controller:
    """Base class of controllers, which turn targets into efforts.

    Created with the motor's data and the file's ``controller_options`` as arguments.
    """

    def __init__(self, motor: MotorData) -> None:
        self.motor = motor

    def reset(self) -> None:
        """Reset the internal state at the start of a motion."""

    def effort(self, time: float, target: float, position: float, velocity: float) -> float:
        """The effort to request from the motor over the next step [N m, N].

        Args:
            time: [s]
            target: In the unit of the motor's mode [rad, rad/s, N m; m, m/s, N].
            position: Of the joint [rad, m].
            velocity: Of the joint [rad/s, m/s].
        """
        raise NotImplementedError


class Actuator:
    """Base class of actuators, which turn the requested effort into the actual one.

    Created with the motor's data and the file's ``actuator_options`` as arguments. The requested
    effort is already within the motor's limits.
    """

    def __init__(self, motor: MotorData) -> None:
        self.motor = motor

    def reset(self) -> None:
        """Reset the internal state at the start of a motion."""

    def effort(self, time: float, asked: float, position: float, velocity: float) -> float:
        """The effort on the joint over the next step [N m, N]; arguments as for a controller."""
        raise NotImplementedError


class Pid(Controller):
    """A position servo with an integral part: it brings a joint to its target under load."""

    def __init__(
        self,
        motor: MotorData,
        kp: float,
        ki: float = 0.0,
        kd: float = 0.0,
        windup: float = math.inf,
    ) -> None:
        """Set the gains.

        Args:
            motor: Its motor.
            kp: [N m/rad, N/m]
            ki: [N m/(rad s), N/(m s)]
            kd: [N m s/rad, N s/m]
            windup: Largest effort of the integral part [N m, N].
        """
        super().__init__(motor)
        self.kp, self.ki, self.kd, self.windup = kp, ki, kd, windup
        self._sum = 0.0

    def reset(self) -> None:
        """Without memory."""
        self._sum = 0.0

    def effort(self, time: float, target: float, position: float, velocity: float) -> float:
        """Kp e + ∫ ki e - kd v."""
        error = target - position
        most = min(self.windup, self.motor.effort)
        self._sum = min(most, max(-most, self._sum + self.ki * error * self.motor.step))
        return self.kp * error + self._sum - self.kd * velocity


class Lag(Actuator):
    """Follows what is asked for with a delay of first order, as valves and currents do."""

    def __init__(self, motor: MotorData, time: float) -> None:
        """Set the time constant [s]."""
        super().__init__(motor)
        if not time > 0:
            raise UsageError(f"a lag needs a positive time [s], got {time!r}")
        self._share = -math.expm1(-motor.step / time)
        self._now = 0.0

    def reset(self) -> None:
        """Without effort."""
        self._now = 0.0

    def effort(self, time: float, asked: float, position: float, velocity: float) -> float:
        """A step of 1 - exp(-h / T) of the way."""
        self._now += self._share * (asked - self._now)
        return self._now


def _is(kind: type) -> Any:
    return lambda one: isinstance(one, type) and issubclass(one, kind)


CONTROLLERS = PlugIns[type[Controller]](
    "controller", "kinegen.controllers", {"pid": "kinegen.dynamics.motors.laws:Pid"},
    _is(Controller), "a Controller class",
)  # fmt: skip
"""Entry-point group: every entry names a :class:`Controller`."""
ACTUATORS = PlugIns[type[Actuator]](
    "actuator", "kinegen.actuators", {"lag": "kinegen.dynamics.motors.laws:Lag"},
    _is(Actuator), "an Actuator class",
)  # fmt: skip
"""Entry-point group: every entry names an :class:`Actuator`."""


class MotorLaws:
    """The controllers and actuators of a system's motors, by their place in v."""

    def __init__(
        self,
        model: Model,
        rows: Sequence[Mapping[str, Any] | None],
        motors: Motors,
        step: float,
    ) -> None:
        """Create them from the motors' rows of the file."""
        self.controllers: dict[int, Controller] = {}
        self.actuators: dict[int, Actuator] = {}
        self._q: dict[int, int] = {}
        self._names: dict[int, str] = {}
        for joint in model.joints:
            for k, i in enumerate(range(joint.v.start, joint.v.stop)):
                row = rows[i] or {}
                for key in ("controller", "actuator"):
                    if f"{key}_options" in row and key not in row:
                        raise UsageError(
                            f"joint '{joint.name}' has '{key}_options' without '{key}'"
                        )
                if not {"controller", "actuator"} & set(row):
                    continue
                if joint.type.info.has_quaternion:
                    raise UsageError(
                        f"joint '{joint.name}' turns freely: controllers and actuators need joints "
                        "with their own variables"
                    )
                data = MotorData(
                    joint.name, motors.modes[i], step, float(motors.effort[i]),
                    float(motors.speed[i]), float(motors.inertia[i]),
                )  # fmt: skip
                self._q[i], self._names[i] = joint.q.start + k, joint.name
                if "controller" in row:
                    self.controllers[i] = _made(CONTROLLERS, "controller", row, data)
                if "actuator" in row:
                    self.actuators[i] = _made(ACTUATORS, "actuator", row, data)
        self.controlled: npt.NDArray[np.bool_] = np.array(
            [i in self.controllers for i in range(model.nv)], dtype=bool
        )
        """Which motors have a controller, (nv,)."""

    def __bool__(self) -> bool:
        return bool(self.controllers or self.actuators)

    def reset(self) -> None:
        """Begin a motion."""
        for controller in self.controllers.values():
            controller.reset()
        for actuator in self.actuators.values():
            actuator.reset()

    def control(self, time: float, q: Floats, v: Floats, aim: Targets, push: Floats) -> None:
        """Replace efforts (nv,) by what controllers ask for."""
        for i, one in self.controllers.items():
            mode = one.motor.mode
            target = aim.v[i] if mode is Mode.VELOCITY else aim.effort[i]
            if mode in (Mode.POSITION, Mode.COMPUTED):
                target = aim.q[self._q[i]]
            push[i] = self._asked("controller", one, i, time, float(target), q, v)

    def act(self, time: float, q: Floats, v: Floats, efforts: Floats) -> None:
        """Replace efforts (nv,) by what actuators bring to the joints."""
        for i, one in self.actuators.items():
            efforts[i] = self._asked("actuator", one, i, time, float(efforts[i]), q, v)

    def _asked(
        self, kind: str, one: Controller | Actuator, i: int, time: float, given: float, q: Floats,
        v: Floats,
    ) -> float:  # fmt: skip
        what = f"the {kind} of joint '{self._names[i]}' ({type(one).__name__})"
        try:
            found = float(one.effort(time, given, float(q[self._q[i]]), float(v[i])))
        except KinegenError:
            raise
        except Exception as error:
            raise UsageError(f"{what} failed: {type(error).__name__}: {error}") from error
        if not math.isfinite(found):
            raise UsageError(f"{what} gave {found} at {time:g} s: it must be a finite effort")
        return found


def _made(plug_ins: PlugIns[Any], kind: str, row: Mapping[str, Any], data: MotorData) -> Any:
    """A law from the motor's row; its options are arguments."""
    options = row.get(f"{kind}_options") or {}
    try:
        return plug_ins.named(row[kind])(data, **options)
    except KinegenError:
        raise
    except Exception as error:
        raise UsageError(
            f"{kind} '{row[kind]}' of joint '{data.joint}' could not be created: {error}"
        ) from error
