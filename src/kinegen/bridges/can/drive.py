"""Drive402: the state machine and the modes of a drive (CiA 402), with a servo behind it."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum

from kinegen.bridges.can.objects import BAD_VALUE, Abort, Dictionary
from kinegen.bridges.can.table import HOMING, MODES
from kinegen.bridges.servos.wiring import Wired, sagged

__all__ = ["Drive402", "State"]

HOT = 120.0
"""Of a winding, at which a drive gives up [°C]; representative of insulation class B."""
RATED_CURRENT = 2.4
"""Of a drive whose file has no thermal data [A]; representative."""
PP, PV, PT, HM, CSP, CSV, CST = MODES
OVERHEATED = 0x4210
NEAR = 2e-3
"""From a joint's limit, where its limit switch is [rad, m]."""


class State(Enum):
    """States, with the bits of the statusword that show them."""

    SWITCH_ON_DISABLED = 0x40
    READY_TO_SWITCH_ON = 0x21
    SWITCHED_ON = 0x23
    OPERATION_ENABLED = 0x27
    QUICK_STOP_ACTIVE = 0x07
    FAULT = 0x08


class Drive402:
    """One axis. Positions are steps of the encoder, velocities steps per second."""

    def __init__(self, wired: Wired, bus: list[Wired], objects: Dictionary) -> None:
        """Switched on, not enabled.

        Args:
            wired: Which servo it moves.
            bus: All drives, which share a supply.
            objects: Its dictionary, which gets live values and setters here.
        """
        self.wired, self.servo, self._bus = wired, wired.servo, bus
        self.objects = objects
        self.emergency: Callable[[int, int], None] = lambda code, register: None
        """Called with error code and register when a fault begins or ends."""
        self.per_radian = wired.per_radian
        self._zero = 0.0
        """Steps at which position 0 is, moved by homing."""
        self.begin()
        objects.live |= {
            (0x1001, 0): lambda: int(self.state is State.FAULT),
            (0x603F, 0): lambda: OVERHEATED if self.state is State.FAULT else 0,
            (0x6041, 0): self._statusword,
            (0x6061, 0): lambda: self.mode,
            (0x6062, 0): lambda: self._steps(self.servo.goal),
            (0x6064, 0): lambda: self._steps(self.servo.position),
            (0x606B, 0): lambda: round(self.servo.goal_velocity * self._scale),
            (0x606C, 0): lambda: round(wired.rate * self.per_radian),
            (0x6075, 0): lambda: round(1000 * RATED_CURRENT),
            (0x6076, 0): lambda: round(1000 * self.servo.data.largest / abs(wired.per_unit)),
            (0x6077, 0): lambda: round(1000 * wired.load),
            (0x6078, 0): lambda: round(1000 * wired.current / RATED_CURRENT),
            (0x6079, 0): lambda: round(1000 * sagged(bus)),
            (0x60F4, 0): lambda: self._steps(self.servo.goal) - self._steps(self.servo.position),
        }
        objects.changed |= {
            0x6040: self._command, 0x6060: self._set_mode, 0x607A: self._target,
            0x60FF: self._target, 0x6071: self._target, 0x6072: self._torque_limit,
            0x6081: self._shape, 0x6083: self._shape, 0x6098: self._check_homing,
            0x607D: lambda *_: None,
        }  # fmt: skip

    def begin(self) -> None:
        """As after switching on: not enabled, no mode; the motor is as other wires have it."""
        self.state, self.mode = State.SWITCH_ON_DISABLED, 0
        self._word = 0
        self._goal: int | None = None
        """Of a profile position, in steps."""
        self._next: tuple[int, bool] | None = None
        """Target that waits until the present one is reached, and whether it is relative."""
        self._heard = False
        """Whether a new set-point was accepted and its bit is still set."""
        self._homing = "no"
        self._clipped = False
        low, high = self.wired.limits
        for sub, limit in ((1, low), (2, high)):
            value = max(min(self.wired.to_ticks(limit), 2**31 - 1), -(2**31))
            self.objects.values[0x607D, sub] = round(value)

    # Units

    @property
    def _scale(self) -> float:
        """Steps per unit of the joint, with sign."""
        return self.per_radian * self.wired.per_unit

    def _steps(self, value: float) -> int:
        return round(self.wired.to_ticks(self.wired.to_angle(value)) - self._zero)

    def _value(self, steps: float) -> float:
        return self.wired.from_ticks(steps + self._zero)

    def _get(self, index: int, sub: int = 0) -> int:
        return self.objects.get(index, sub)

    # The state machine

    def _command(self, _: int, word: int) -> None:
        """A controlword."""
        before, self._word = self._word, word
        rising = word & ~before
        state = self.state
        if state is State.FAULT:
            if rising & 0x80 and not self._is_hot:
                self.emergency(0, 0)
                self._enter(State.SWITCH_ON_DISABLED)
            return
        on = (State.READY_TO_SWITCH_ON, State.SWITCHED_ON, State.OPERATION_ENABLED)
        if not word & 0x02:
            self._enter(State.SWITCH_ON_DISABLED)
        elif not word & 0x04:
            if state is State.OPERATION_ENABLED:
                self._enter(State.QUICK_STOP_ACTIVE)
            elif state in on:
                self._enter(State.SWITCH_ON_DISABLED)
        elif not word & 0x01:
            if state is not State.QUICK_STOP_ACTIVE:
                self._enter(State.READY_TO_SWITCH_ON)
        elif not word & 0x08:
            if state in on:
                self._enter(State.SWITCHED_ON)
        elif state in on or state is State.QUICK_STOP_ACTIVE:
            self._enter(State.OPERATION_ENABLED)
        if self.state is State.OPERATION_ENABLED:
            self._obey(word, rising)

    def _enter(self, state: State) -> None:
        before, self.state = self.state, state
        if before is state:
            return
        servo = self.servo
        if state is State.OPERATION_ENABLED:
            servo.on = True
            self._begin_mode()
        elif state is State.QUICK_STOP_ACTIVE:
            self._forget()
            servo.mode = "velocity"
            servo.goal_velocity = 0.0
            servo.acceleration = self._get(0x6085) / abs(self._scale)
        else:
            self._forget()
            servo.on = False

    def _forget(self) -> None:
        """Nothing is under way."""
        self._goal, self._next, self._heard = None, None, False
        if self._homing == "on":
            self._homing = "no"

    # Modes

    def _set_mode(self, _: int, mode: int) -> None:
        if mode and mode not in MODES:
            raise Abort(BAD_VALUE)
        if mode == self.mode:  # PDOs write it in every cycle
            return
        self.mode = mode
        self._forget()
        if self.state is State.OPERATION_ENABLED:
            self._begin_mode()

    def _begin_mode(self) -> None:
        """Stand still, ready for the mode's targets."""
        servo = self.servo
        if self.mode in (PV, CSV):
            servo.mode = "velocity"
        elif self.mode in (PT, CST):
            servo.mode = "effort"
        else:
            servo.mode = "position"
            servo.goal = servo.position
        self._shape(0, 0)
        if self.mode in (PV, PT):
            self._target(0, 0)

    def _shape(self, _: int, __: int) -> None:
        """Speed and acceleration of the way to a target."""
        servo, scale = self.servo, abs(self._scale)
        if self.mode in (CSP, CSV):
            servo.speed = servo.acceleration = math.inf
            return
        servo.speed = min(self._get(0x6081), self._get(0x607F)) / scale
        servo.acceleration = self._get(0x6083) / scale

    def _obey(self, word: int, rising: int) -> None:
        """Bits of the controlword that belong to the mode."""
        servo = self.servo
        if self.mode == PP:
            if not word & 0x10:
                self._heard = False
            elif rising & 0x10:
                self._set_point(bool(word & 0x20), bool(word & 0x40))
            if rising & 0x100:
                servo.goal = servo.position
                self._goal = self._next = None
        elif self.mode == HM and rising & 0x10:
            self._begin_homing()
        elif self.mode == HM and self._homing == "on" and not word & 0x10:
            self._homing = "no"
            servo.mode = "position"
            servo.goal = servo.position
        elif self.mode in (PV, PT):
            self._target(0, 0)

    def _target(self, _: int, __: int) -> None:
        """A target was written; those of a profile position wait for their bit."""
        if self.state is not State.OPERATION_ENABLED:
            return
        servo, halted = self.servo, bool(self._word & 0x100)
        if self.mode in (PV, CSV):
            most = self._get(0x607F)
            wanted = min(max(self._get(0x60FF), -most), most)
            servo.goal_velocity = 0.0 if halted else wanted / self._scale
        elif self.mode in (PT, CST):
            share = 0.0 if halted else self._get(0x6071) / 1000
            servo.goal_effort = math.copysign(share, share * self._scale) * servo.data.largest
        elif self.mode == CSP:
            self._follow(self._within(self._get(0x607A)))

    def _follow(self, steps: int) -> None:
        """A cyclic position: in a line to it, within the time until the next one."""
        cycle = self._get(0x60C2, 1) * 10.0 ** max(min(self._get(0x60C2, 2), 2), -6)
        value = self._value(steps)
        way = abs(value - self.servo.goal)
        # a little faster, so that a late frame leaves no lag behind
        self.servo.speed = 1.2 * way / cycle if cycle > 0 and way > 0 else math.inf
        self.servo.goal = value

    def _within(self, steps: int) -> int:
        """A target within the software limits."""
        low, high = self._get(0x607D, 1), self._get(0x607D, 2)
        kept = min(max(steps, low), high) if low < high else steps
        self._clipped = kept != steps
        return kept

    # Profile position

    def _set_point(self, at_once: bool, relative: bool) -> None:
        if not at_once and self._goal is not None and not self._is_there():
            if self._next is None:
                self._next, self._heard = (self._get(0x607A), relative), True
            return
        self._next = None
        self._heard = True
        self._go(self._get(0x607A), relative)

    def _go(self, target: int, relative: bool) -> None:
        if relative:
            start = self._goal
            target += self._steps(self.servo.position) if start is None else start
        self._goal = self._within(target)
        self._shape(0, 0)
        self.servo.goal = self._value(self._goal)

    def _is_there(self) -> bool:
        if self._goal is None:
            return True
        off = abs(self._goal - self._steps(self.servo.position))
        return off <= self._get(0x6067)

    # Homing

    def _check_homing(self, _: int, method: int) -> None:
        if method not in HOMING:
            raise Abort(BAD_VALUE)

    def _begin_homing(self) -> None:
        method, data = self._get(0x6098), self.servo.data
        if method in (35, 37):
            self._at_home()
            return
        sign = 1 if method in (-4, 18) else -1
        # the end of the joint that larger or smaller positions lead to
        end = data.upper if sign * self._scale > 0 else data.lower
        if not math.isfinite(end):
            self._homing = "error"
            return
        self._homing, self._end = "on", end
        servo = self.servo
        servo.mode = "velocity"
        servo.acceleration = self._get(0x609A) / abs(self._scale)
        servo.goal_velocity = sign * self._get(0x6099, 1) / self._scale

    def _at_home(self) -> None:
        servo = self.servo
        servo.mode = "position"
        servo.goal = servo.position
        self._zero = self.wired.to_ticks(self.wired.to_angle(servo.position)) - self._get(0x607C)
        self._homing = "done"

    # Every cycle

    def step(self) -> None:
        """What happens by itself: ways end, homing finds its end, a hot motor gives up."""
        servo = self.servo
        if self._is_hot and self.state is not State.FAULT:
            self._enter(State.FAULT)
            self.emergency(OVERHEATED, 0x09)
        if self.state is State.QUICK_STOP_ACTIVE and not servo.is_moving:
            if self._get(0x605A) <= 4:
                self._enter(State.SWITCH_ON_DISABLED)
        if self._next is not None and self._is_there():
            waiting, self._next = self._next, None
            self._heard = bool(self._word & 0x10)
            self._go(*waiting)
        if self._homing == "on" and abs(servo.position - self._end) < NEAR:
            self._at_home()

    @property
    def _is_hot(self) -> bool:
        return self.servo.temperature > HOT

    def _statusword(self) -> int:
        word = self.state.value | 0x0200
        if self.state is not State.FAULT:
            word |= 0x10
        if self._clipped:
            word |= 0x0800
        return word | (self._mode_bits() if self.state is State.OPERATION_ENABLED else 0)

    def _mode_bits(self) -> int:
        """Target reached, and bits 12 and 13, which belong to the mode."""
        reached, twelve, thirteen = False, False, False
        velocity, wanted = self._get(0x606C), self._get(0x60FF)
        if self.mode == PP:
            reached = self._is_there() and self._next is None
            if self._word & 0x100:
                reached = not self.servo.is_moving
            twelve = self._heard or self._next is not None
            thirteen = self._lags()
        elif self.mode == PV:
            target = 0 if self._word & 0x100 else wanted
            reached = abs(velocity - target) <= self._get(0x606D)
            twelve = abs(velocity) <= self._get(0x606F)
        elif self.mode == PT:
            reached = True
        elif self.mode == HM:
            reached = self._homing != "on"
            twelve, thirteen = self._homing == "done", self._homing == "error"
        elif self.mode in (CSP, CSV, CST):
            twelve, thirteen = True, self.mode == CSP and self._lags()
        return 0x400 * reached | 0x1000 * twelve | 0x2000 * thirteen

    def _lags(self) -> bool:
        window = self._get(0x6065)
        return window != 0xFFFFFFFF and abs(self._get(0x60F4)) > window

    def _torque_limit(self, _: int, share: int) -> None:
        self.servo.limit = share / 1000
