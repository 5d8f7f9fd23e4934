"""Servos: motors with a target position, speed or effort.

Target in, actual out: a motor gives what its servo asks for as far as its torque, its speed and its
curve allow. Friction of the joints belongs to the engine, so it is not counted here again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kinegen.dynamics.engines.engine import Loads
from kinegen.dynamics.motors.backlash import GEAR_SHARE, BacklashRotors, BacklashServo
from kinegen.dynamics.motors.heat import Heat
from kinegen.dynamics.motors.laws import MotorLaws
from kinegen.dynamics.motors.motor import Mode, Motors, motor_mobility, motor_rows
from kinegen.dynamics.motors.profiles import Profiles
from kinegen.dynamics.motors.servo_arrays import servo_arrays
from kinegen.dynamics.motors.speed_limits import SpeedLimits
from kinegen.dynamics.motors.targets import Targets, TargetValue, targets_of
from kinegen.dynamics.simulation.starts import beyond_limits, closed_start
from kinegen.dynamics.simulation.system import System
from kinegen.dynamics.tree.motion_torques import MotionTorques
from kinegen.errors import UsageError
from kinegen.kernels import Floats, ServoArrays, ServoState
from kinegen.kinematics.configurations import Configuration
from kinegen.mechanism.any_model import AnyModel
from kinegen.results import Result

__all__ = ["Drive", "ServoReport", "Servos", "TargetSource"]

TargetSource: TypeAlias = (
    Targets
    | Mapping[str, TargetValue]
    | Callable[[float], "Targets | Mapping[str, TargetValue]"]
    | None
)
"""Targets, or values by joint name as its mode has them, or a function of time [s] that gives
either; None: hold the start."""

STIFF = 0.25
"""Share of the stable step beyond which servos look ahead: held efforts would ring before."""


@dataclass(frozen=True, slots=True)
class Drive(Result):
    """What can be changed of a motor while it runs."""

    on: bool
    """Whether it pushes; off: its joint moves freely."""
    mode: Mode
    kp: float
    """[N m/rad, N/m]"""
    kd: float
    """[N m s/rad, N s/m]"""
    effort: float
    """Largest [N m, N]; never more than the file's."""
    speed: float = math.inf
    """Of its way to a target [rad/s, m/s]; inf: as fast as it can."""
    acceleration: float = math.inf
    """Of its way to a target [rad/s², m/s²]; inf: at once."""


@dataclass(frozen=True, slots=True, eq=False)
class ServoReport(Result):
    """Report of the motors of a simulation."""

    efforts: Floats
    """On the joints, (nv,) [N m, N]."""
    wanted: Floats
    """Efforts that the servos requested from the motors, (nv,)."""
    saturated: npt.NDArray[np.bool_]
    """Whether a motor was at its limit of effort or speed, (nv,)."""


class Servos:
    """The servos of a system: a load source for a simulation.

    Efforts are constant over a step and fit its middle, which is predicted from the speed and its
    last change, so they are accurate to second order in the step. Stiff gains are treated
    implicitly: the servo acts on the state at the end of the step (J. Tan, K. Liu, G. Turk,
    "Stable proportional-derivative controllers", IEEE Computer Graphics and Applications 31(4),
    2011), with the loops' motion.
    """

    def __init__(
        self,
        model: AnyModel | System,
        q: Configuration = None,
        *,
        step: float = 1e-3,
        targets: TargetSource = None,
        modes: Mapping[str, Mode | str] | None = None,
    ) -> None:
        """Set up all motors of a system.

        Args:
            model: A model, a mechanism or a system. Rotors of motors with backlash move by
                themselves here: a system's model loses them.
            q: Where they start.
            step: How long efforts are held [s].
            targets: Of the motors; None: hold the start.
            modes: By joint name, instead of the file's.
        """
        if not (math.isfinite(step) and step > 0):
            raise UsageError(f"the step of servos must be a positive time [s], got {step!r}")
        self.system = System.of(model)
        self.model = self.system.model
        self.step = step
        self._given_modes = modes
        closed, _ = closed_start(self.model, q, None)
        self.motors = Motors.of(self.system, closed, modes)
        if not self.motors.driven.any():
            raise UsageError(
                f"mechanism '{self.model.name}' has no motors; add 'motor: true' or motor data "
                "to a joint"
            )
        self.on: npt.NDArray[np.bool_] = self.motors.driven.copy()
        """Which motors push, (nv,)."""
        self._largest = self.motors.effort.copy()
        self._drives: dict[int, Drive] = {}
        self.state: Floats = np.zeros((len(ServoState), self.model.nv))
        """Rotors, windings and what they did, by :class:`~kinegen.kernels.ServoState`."""
        self._backlash = BacklashRotors.of(self.motors, step, self.state)
        if self._backlash is not None:
            self.model.blocks.real_part("rotor")[self._backlash.index] *= GEAR_SHARE
            which = np.isin(np.flatnonzero(self.motors.driven), self._backlash.index)
            mobility = motor_mobility(self.model, closed, self.motors.driven)
            self._backlash.soften(mobility[np.ix_(which, which)])
        self._limits = SpeedLimits.of(self.model, self.motors, self._backlash, step, self.state)
        self._torques = MotionTorques(self.system)
        rows = motor_rows(self.system)
        part = self.model.blocks.real_part
        self.heat = Heat(rows, part("gear"), dict(self.model.parameters), self.state)
        """Currents and temperatures of motors with thermal data."""
        self.profiles = Profiles(self.model, rows, self.motors.modes, self.motors.speed, step)
        self.laws = MotorLaws(self.model, rows, self.motors, step)
        """Controllers and actuators of the file."""
        self._masks = {mode: self._mask(mode) for mode in Mode}
        self.is_stiff = step > STIFF * self.stable_step
        """Whether the gains are treated implicitly."""
        self.foresees = True
        """Whether efforts fit the middle of the step for which they are held; else its beginning,
        as in a digital servo that is slower than the simulation."""
        self.runs_inside = False
        """Whether the engine may push with them inside its steps, where it has their laws."""
        self._inside = self._as_loads()
        self._checked: Targets | None = None
        self.targets: TargetSource = None
        self.reset(closed)
        self.set_targets(targets)

    @property
    def backlash(self) -> BacklashRotors | None:
        """Rotors that move freely within their backlash; None if there are none."""
        return self._backlash

    @property
    def stable_step(self) -> float:
        """Longest step [s] at which the gains would be stable if efforts were simply held."""
        return self.motors.stable_step

    def reset(self, q: Floats) -> None:
        """Begin at a closed configuration; joints without a target are held there."""
        self._held = self._start = Targets.at(self.model, q)
        self.calls = 0
        """Steps in which they pushed."""
        self.state[:] = self.state_at(q)
        self.profiles.reset(q)
        self.laws.reset()

    def state_at(self, q: Floats) -> Floats:
        """The :attr:`state` of motors that start at q (nq,), at rest and cold."""
        made = np.zeros_like(self.state)
        made[ServoState.TEMPERATURE] = self.heat.ambient
        made[ServoState.BEFORE] = np.inf
        if self._backlash is not None:
            made[ServoState.ANGLE, self._backlash.index] = q[self._backlash_q]
        return made

    def set_targets(self, targets: TargetSource) -> None:
        """Change the targets; joints that are not named keep their last target.

        Raises:
            UsageError: A joint is unknown or has no motor, or a target is not a number.
        """
        if not callable(targets):
            self._aim(targets)
        if self.targets is not None and not callable(self.targets):
            self._held = targets_of(self.model, self.targets, self.motors.modes, self._held)
        self.targets = targets

    def set_target(self, joint: str, target: TargetValue) -> None:
        """Change the target of one joint; the others keep theirs.

        Raises:
            UsageError: The joint is unknown or has no motor, or the target is not a number.
        """
        self._aim({joint: target})
        changed = targets_of(
            self.model, {joint: target}, self.motors.modes, self._present_targets()
        )
        self.set_targets(changed)

    def take_over(self, old: Servos) -> None:
        """Take over the targets of servos whose run this one continues, by joint name.

        A joint that was never sent to a place is held where it is now.
        """
        made, theirs = self._present_targets(), old._present_targets()
        made = Targets(made.q.copy(), made.v.copy(), made.vdot.copy(), made.effort.copy())
        known = {one.name: one for one in old.model.joints}
        for joint in self.model.joints:
            before = known.get(joint.name)
            if before is None or before.type is not joint.type:
                continue
            made.v[joint.v] = theirs.v[before.v]
            made.effort[joint.v] = theirs.effort[before.v]
            was = theirs.q[before.q]
            moved = was != old._start.q[before.q]
            made.q[joint.q] = np.where(moved, was, made.q[joint.q])
        self.set_targets(made)

    def drive(self, v: int) -> Drive:
        """The current settings of the motor at an index of v."""
        motors = self.motors
        return self._drives.get(v) or Drive(
            bool(self.on[v]), motors.modes[v], float(motors.kp[v]), float(motors.kd[v]),
            float(motors.effort[v]), *self.profiles.limits(v),
        )  # fmt: skip

    def set_drive(self, v: int, drive: Drive, at: tuple[float, float]) -> None:
        """Change a motor while it runs.

        Args:
            v: Its index in v.
            drive: The new settings.
            at: Position and speed at which a new profile starts.
        """
        before, motors = self.drive(v), self.motors
        self._drives[v] = drive
        if not (drive.on and before.on):
            self.profiles.change(v, math.inf, math.inf, drive.mode, at)
        shape = ("on", "mode", "speed", "acceleration")
        if any(getattr(drive, key) != getattr(before, key) for key in shape):
            self.profiles.change(v, drive.speed, drive.acceleration, drive.mode, at)
        motors.effort[v] = min(drive.effort, float(self._largest[v]))
        if (drive.on, drive.mode, drive.kp, drive.kd) != (
            before.on, before.mode, before.kp, before.kd,
        ):  # fmt: skip
            self.on[v], motors.modes[v] = drive.on, drive.mode
            motors.kp[v], motors.kd[v] = drive.kp, drive.kd
            self._masks = {mode: self._mask(mode) for mode in Mode}
            self.is_stiff = self.step > STIFF * self.stable_step
        self._inside = self._as_loads()

    @property
    def report(self) -> ServoReport | None:
        """Report of the motors on the last step; None before the first."""
        if not self.calls:
            return None
        state = self.state.copy()
        return ServoReport(
            state[ServoState.EFFORT], state[ServoState.WANTED], state[ServoState.SATURATED] > 0
        )

    @property
    def arrays(self) -> ServoArrays | None:
        """Arrays for the engine's steps; None if the servos are evaluated before every step."""
        return None if self._inside is None or not self.runs_inside else self._inside.servos

    @property
    def is_steady(self) -> bool:
        """Whether the engine can make many steps at once: no target changes by itself."""
        return self.arrays is not None and not (self.profiles.profiles or callable(self.targets))

    @property
    def saturation(self) -> dict[str, float]:
        """Share of the time at the limit of effort or speed, for the motors that reached one."""
        shares = self.state[ServoState.SATURATIONS] / max(1, self.calls)
        return {
            joint.name: float(shares[joint.v].max())
            for joint in self.model.joints
            if joint.v.stop > joint.v.start and shares[joint.v].max() > 0
        }

    def __call__(self, time: float, q: Floats, v: Floats) -> Loads:
        """The loads of all motors now, for :attr:`Simulation.sources`."""
        targets = self.targets
        given = targets(time) if callable(targets) else targets
        if self.runs_inside and self._inside is not None:
            return self._aimed(self._inside, given)
        if self.profiles.profiles:
            given = self.profiles.shaped(self._aim(given))
        report = self.efforts(q, v, time, given)
        self.heat.warm(report.efforts, self.step)
        self.calls += 1
        self.state[ServoState.WANTED] = report.wanted
        self.state[ServoState.EFFORT] = report.efforts
        self.state[ServoState.BEFORE] = np.where(self.on, v, np.inf)
        self.state[ServoState.SATURATED] = report.saturated
        self.state[ServoState.SATURATIONS] += report.saturated
        return Loads.of(self.model, efforts=report.efforts)

    def efforts(
        self, q: Floats, v: Floats, time: float, targets: TargetSource = None
    ) -> ServoReport:
        """Efforts of the motors over the next step, at q (nq,), v (nv,) and time [s].

        Raises:
            UsageError: A target is not a finite number; its joint is named.
        """
        aim = self._aim(targets(time) if callable(targets) else targets)
        error = np.empty(self.model.nv)
        self.model.kernels.difference(np.ascontiguousarray(q), aim.q, error)
        speed = v
        if self._backlash is not None:
            # the motor's own angle is what its servo sees
            error, speed = self._backlash.seen(error, q[self._backlash_q], v)
        wanted = self._wanted(q, v, error, speed, aim)
        self.laws.control(time, q, v, aim, wanted)
        low, high = self.motors.span(speed)
        if self._limits is not None:
            slow, fast = self._limits.span(q, v, speed, wanted)
            low, high = np.maximum(low, slow), np.minimum(high, fast)
            low, high = np.minimum(low, self.motors.effort), np.maximum(high, -self.motors.effort)
        if self.heat.has.any():
            left = self.heat.left_of(self.motors.effort_at_rest)
            low, high = np.maximum(low, -left), np.minimum(high, left)
        efforts = np.where(self.on, np.clip(wanted, low, high), 0.0)
        # a motor whose target is a torque does not brake when it runs too fast
        freely = self._masks[Mode.TORQUE] & ~self.laws.controlled
        efforts[freely] = np.where(efforts * wanted < 0, 0.0, efforts)[freely]
        self.laws.act(time, q, v, efforts)
        saturated = self.on & (np.abs(efforts - wanted) > 1e-12 * (1 + np.abs(wanted)))
        if self._backlash is not None:
            efforts = self._through(efforts, wanted, (low, high), q, v)
        return ServoReport(efforts, wanted, saturated)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks about the targets, such as values outside joint limits."""
        if callable(self.targets):
            return ()
        beyond = beyond_limits(self.model, self._aim(self.targets).q)
        return (f"its target is out of range: {beyond}",) if beyond else ()

    # Inside

    def _present_targets(self) -> Targets:
        """Of all joints, as they were set; where a function gives them, what was before it."""
        given = None if callable(self.targets) else self.targets
        return targets_of(self.model, given, self.motors.modes, self._held)

    def _as_loads(self) -> Loads | None:
        """Loads with the servos as the kernels take them; None where these lack a law."""
        arrays = servo_arrays(self)
        if arrays is None:
            return None
        nothing = Loads.of(self.model)
        return Loads(nothing.efforts, nothing.wrenches, nothing.links, arrays)

    def _aimed(self, loads: Loads, given: Targets | Mapping[str, TargetValue] | None) -> Loads:
        """The same loads with the targets of the next step."""
        assert loads.servos is not None
        aim = given
        if not isinstance(given, Targets) or given is not self._checked:
            aim = self._aim(given)
            self._checked = given if isinstance(given, Targets) else None
        assert isinstance(aim, Targets)
        aim = self.profiles.shaped(aim)
        row = loads.servos.targets
        np.concatenate((aim.q, aim.v, aim.effort), out=row)
        if not math.isfinite(np.add.reduce(row)):
            self._aim(aim)  # it names the joint
        return loads

    def _aim(self, given: Targets | Mapping[str, TargetValue] | None) -> Targets:
        """Targets of all joints now; those that are named have motors."""
        for name in given if isinstance(given, Mapping) else ():
            part = self.model.joint(name).v
            if part.stop > part.start and not self.motors.driven[part].any():
                having = [j.name for j in self.model.joints if self.motors.driven[j.v].any()]
                raise UsageError(
                    f"joint '{name}' has no motor and takes no target; motors: " + ", ".join(having)
                )
        return targets_of(self.model, given, self.motors.modes, self._held)

    def _wanted(self, q: Floats, v: Floats, error: Floats, speed: Floats, aim: Targets) -> Floats:
        """What the servos ask for, all modes."""
        motors = self.motors
        linear = self._masks[Mode.POSITION] | self._masks[Mode.VELOCITY]
        tight = linear & ~(motors.backlash > 0)
        if self.foresees and not self.is_stiff:
            # what is held for a step fits its middle, foreseen by the speed and its last change
            before = self.state[ServoState.BEFORE]
            gained = np.where(tight & np.isfinite(before), v - before, 0.0)
            error = error - np.where(tight, self.step / 2 * speed, 0.0)
            speed = speed + gained / 2
        kp, kd = motors.kp.copy(), motors.kd
        kp[self._masks[Mode.VELOCITY]] = 0.0
        full = kp * error + kd * (aim.v - speed) + aim.effort
        # an inner loop of speed with an outer one of place: no faster than the motor can
        with np.errstate(divide="ignore", invalid="ignore"):
            asked = np.where(kd > 0, kp / kd * error, 0.0) + aim.v
        goal = np.clip(asked, -motors.speed, motors.speed)
        limited = (goal != asked) & (kd > 0)
        kp[limited] = 0.0
        goal = np.where(limited, goal, aim.v)
        push = np.where(linear, kp * error + kd * (goal - speed) + aim.effort, 0.0)
        # rotors in backlash look ahead by themselves; joints feel what reaches them
        if self.is_stiff and tight.any():
            reached = np.where(linear, self.state[ServoState.EFFORT], 0.0)
            gains = np.where(tight, kp, 0.0), np.where(tight, kd, 0.0)
            push = np.where(tight, self._ahead(q, v, np.where(tight, push, reached), *gains), push)
        # at its limit a motor gives what holds that speed, which the limit alone bounds
        push = np.where(linear & limited, full, push)
        in_torque = self._masks[Mode.TORQUE]
        push[in_torque] = aim.effort[in_torque]
        computed = self._masks[Mode.COMPUTED]
        if computed.any():
            ratio = 1 / np.where(motors.inertia > 0, motors.inertia, 1.0)
            vdot = aim.vdot + ratio * (kp * error + kd * (goal - speed))
            push = self._torques.for_motion(q, v, vdot, computed, push) + np.where(
                computed, aim.effort, 0.0
            )
        return push

    def _through(
        self, efforts: Floats, wanted: Floats, span: tuple[Floats, Floats], q: Floats, v: Floats
    ) -> Floats:
        """What of the motors' efforts reaches the joints; all of it where there is no backlash."""
        assert self._backlash is not None
        acted = np.isin(np.arange(len(v)), list(self.laws.actuators))
        soft = (self._masks[Mode.POSITION] | self._masks[Mode.VELOCITY]) & ~acted
        servo = BacklashServo(
            np.where(soft, wanted, efforts),
            np.where(soft & self._masks[Mode.POSITION], self.motors.kp, 0.0),
            np.where(soft, self.motors.kd, 0.0),
            np.where(soft, span[0], efforts), np.where(soft, span[1], efforts),
        )  # fmt: skip
        out = efforts.copy()
        out[self._backlash.index] = self._backlash.through(servo, q[self._backlash_q], v)
        return out

    def _ahead(self, q: Floats, v: Floats, push: Floats, kp: Floats, kd: Floats) -> Floats:
        """Efforts of springs kp and dampers kd as they will be after the step."""
        h = self.step
        drift = push - h * kp * v
        vdot = self._torques.motion_for(q, v, drift, h * kd + h * h * kp)
        return np.asarray(drift - (h * kd + h * h * kp) * vdot)

    def _mask(self, mode: Mode) -> npt.NDArray[np.bool_]:
        which = np.array([one is mode for one in self.motors.modes], dtype=bool)
        return np.asarray(self.on & which & ~self.laws.controlled, dtype=bool)

    @property
    def _backlash_q(self) -> npt.NDArray[np.int64]:
        """Where in q the joints with backlash are."""
        assert self._backlash is not None
        place = {joint.v.start: joint.q.start for joint in self.model.joints}
        return np.array([place[int(i)] for i in self._backlash.index])
