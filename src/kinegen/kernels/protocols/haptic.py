"""What the kernels offer for haptics: one touched point, and the thread that runs it."""

from __future__ import annotations

import enum
import math
from typing import NamedTuple, Protocol

import numpy as np

from kinegen.errors import UsageError
from kinegen.kernels.layout import Floats, Ints

__all__ = [
    "DAMPING_MOST",
    "DEVICE6_COUNT",
    "DEVICE_COUNT",
    "ENERGY_MOST",
    "FORCE6_COUNT",
    "FORCE_COUNT",
    "GATE_ROUNDING",
    "HAND_BURST",
    "HAND_COUNT",
    "HAND_FAR",
    "HAND_SPEED",
    "HAND_SPIN",
    "HAPTIC_RANGES",
    "HELD_MOST",
    "MOBILITY_MOST",
    "MOBILITY_ROUNDING",
    "OVERDRAFT",
    "OVERDRAFT_TIME",
    "OVERDRAFT_TIME_MOST",
    "PACKET_HEADER",
    "PACKET_MAGIC",
    "PACKET_MAGIC_SEALED",
    "POINT_FAR",
    "POINT_REST",
    "POINT_SPEED",
    "SEQUENCE_RUN",
    "SEQUENCE_RUNS",
    "SEQUENCE_WINDOW",
    "STATE_COUNT",
    "STIFFNESS_MOST",
    "TIME_MOST",
    "BoundHapticLoop",
    "BoundHapticPoint",
    "GateReason",
    "HapticSequence",
    "HapticSettings",
    "HapticState",
    "Heard",
    "PacketKind",
    "TouchMode",
    "Trouble",
    "WrongField",
]


HAND_FAR = 10.0
"""Most that is believed of a hand's place [m], each number."""
HAND_SPEED = 10.0
"""Most that is believed of its speed [m/s], each number."""
HAND_SPIN = 100.0
"""Most that is believed of its angular velocity [rad/s], each number."""
HAND_BURST = 0.02
"""Time [s] for which a hand may have run at its highest speed unseen: packets come in bunches."""
POINT_FAR = 1e4
"""Most that is believed of a touched point's place [m], each number."""
POINT_SPEED = 1e4
"""Most that is believed of its speed [m/s, rad/s], each number."""
POINT_REST = 1e7
"""Most that is believed of its acceleration [m/s², rad/s²], each number."""
MOBILITY_MOST = 1e9
"""Most that is believed of its mobility [1/kg, 1/(kg m²)], each number."""
MOBILITY_ROUNDING = 1e-6
"""Negative mobility that is rounding, as a share of the largest number."""
STIFFNESS_MOST = 1e7
"""Most that is believed of a coupling's stiffness [N/m, N m/rad]."""
DAMPING_MOST = 1e6
"""Most that is believed of its damping [N s/m, N m s/rad]."""
ENERGY_MOST = 1e6
"""Most that is believed of an energy [J]."""
HELD_MOST = 1e3
"""Longest time that a packet may have waited [s]."""
TIME_MOST = 1e12
"""Latest time of a clock [s]."""
GATE_ROUNDING = 1e-9
"""What rounding may add to a limit, as a share of it."""
OVERDRAFT = 0.01
"""Energy [J] beyond the reserve that is no rounding."""
OVERDRAFT_TIME = 1.0
"""How long there is no force after an overdraft [s]: twice as long each time."""
OVERDRAFT_TIME_MOST = 64.0
"""The longest such time [s]."""
SEQUENCE_WINDOW = 256
"""How far ahead of the last one a sequence number may be."""
SEQUENCE_RUN = 16
"""Packets that follow each other until another count is believed."""
SEQUENCE_RUNS = 4
"""Counts that are watched: forged numbers push out no run of the real sender."""


class TouchMode(enum.IntEnum):
    """How a mechanism wants to be touched."""

    NONE = 0
    PUSH = 1
    PULL = 2


class HapticState(enum.IntEnum):
    """Where the numbers begin that a mechanism reports of its touched point; linear comes first."""

    MODE = 0
    """A TouchMode."""
    POINT = 1
    TURN = 4
    """Orientation, wxyz."""
    SPEED = 8
    REST = 14
    """Acceleration of the point without the hand's force."""
    MOBILITY = 20
    """6 × 6."""
    NORMAL = 56
    STIFFNESS = 59
    """Linear, angular; with an angular one of 0 the place alone is coupled."""
    DAMPING = 61
    """Linear, angular."""
    ENERGY = 63
    """Given to the mechanism."""
    HELD = 64
    """How long the packet that is answered waited at the mechanism's end."""


STATE_COUNT = 65
"""How many numbers those are."""


class PacketKind(enum.IntEnum):
    """Who says what to whom."""

    HAND = 1
    """Haptic loop to mechanism: position, velocity, quaternion, angular velocity, force and torque
    on the hand, energy that the hand gave, buttons, degrees of freedom of the device (3 or 6)."""
    STATE = 2
    """Mechanism to haptic loop: the touched point."""
    DEVICE = 3
    """Device to haptic loop: position, velocity, quaternion, buttons."""
    FORCE = 4
    """Haptic loop to device: force, trouble."""
    DEVICE6 = 5
    """Device with a torque to haptic loop: position, velocity, quaternion, angular velocity,
    buttons."""
    FORCE6 = 6
    """Haptic loop to such a device: force, torque, trouble."""


HAND_COUNT = 22
"""Numbers of a HAND packet."""
DEVICE_COUNT = 11
"""Numbers of a DEVICE packet."""
DEVICE6_COUNT = 14
"""Numbers of a DEVICE6 packet."""
FORCE_COUNT = 4
"""Numbers of a FORCE packet."""
FORCE6_COUNT = 7
"""Numbers of a FORCE6 packet."""
PACKET_HEADER = 32
"""Bytes before the numbers of a packet."""
PACKET_MAGIC = 0x3148474B
"""First four bytes of a packet: KGH1."""
PACKET_MAGIC_SEALED = 0x3248474B
"""The same of a packet with a tag: KGH2."""


class Trouble(enum.IntEnum):
    """Why there is no force."""

    FINE = 0
    NO_DYNAMICS = 1
    """The mechanism has not sent anything."""
    DYNAMICS_SILENT = 2
    """The mechanism stopped sending."""
    DYNAMICS_FLOOD = 3
    NO_DEVICE = 4
    DEVICE_SILENT = 5
    DEVICE_FLOOD = 6
    FORCE_REFUSED = 7
    """The gate rejected a force."""
    DEVICE_JUMPED = 8
    STOPPED = 9
    BROKEN = 10
    """The haptic thread failed."""
    THREAD_SILENT = 11
    """The thread stopped sending, as a device sees it."""

    @property
    def words(self) -> str:
        """The reason in words."""
        return _WORDS[self]


_WORDS = {
    Trouble.FINE: "everything works",
    Trouble.NO_DYNAMICS: "the mechanism has not answered yet: check that its process is running "
    "and that address and key are right",
    Trouble.DYNAMICS_SILENT: "the mechanism stopped sending: the force faded to zero",
    Trouble.DYNAMICS_FLOOD: "unexpected extra packets arrive from the address of the mechanism: "
    "the force faded to zero",
    Trouble.NO_DEVICE: "the device has not sent anything yet: check that it is on and that "
    "address and key are right",
    Trouble.DEVICE_SILENT: "the device stopped sending: its force faded to zero",
    Trouble.DEVICE_FLOOD: "the device floods the link with packets: its force faded to zero",
    Trouble.FORCE_REFUSED: "a force was not finite or beyond the limits of the device: it was "
    "rejected, and the force is zero for a moment",
    Trouble.DEVICE_JUMPED: "the hand jumped farther than a hand can move: the force starts again "
    "from zero",
    Trouble.STOPPED: "the haptic thread was stopped",
    Trouble.BROKEN: "the haptic thread failed",
    Trouble.THREAD_SILENT: "the haptic thread stopped sending: there is no force",
}


class Heard(enum.IntEnum):
    """What became of a packet."""

    NEW = 0
    OLD = 1
    """Or double."""
    BAD = 2
    """No packet, or it holds what is no number."""
    WRONG = 3
    """Its numbers are out of their bounds."""
    STRANGER = 4
    """From another address than the peer's."""
    UNPROVEN = 5
    """Its tag is missing or wrong."""
    WAITING = 6
    """Of another session: a greeting, or a replay."""


class WrongField(enum.IntEnum):
    """Which numbers of a packet were out of their bounds."""

    FINE = 0
    MODE = 1
    POSITION = 2
    ORIENTATION = 3
    VELOCITY = 4
    ACCELERATION = 5
    MOBILITY = 6
    NORMAL = 7
    STIFFNESS = 8
    DAMPING = 9
    ENERGY = 10
    TIME = 11
    BUTTONS = 12
    FORCE = 13
    DOF = 14


class GateReason(enum.IntEnum):
    """Why the gate let no force through."""

    OPEN = 0
    NOT_FINITE = 1
    TOO_LARGE = 2
    TOO_FAST = 3
    NO_HAND = 4
    """The position of the hand is invalid."""
    OVERDRAWN = 5
    """The hand got more energy than it may."""


class HapticSequence:
    """Sequence numbers, which wrap around at 2³².

    A sender that is out of order is accepted when many of its packets follow each other and few
    others come in between: a forged number makes the others old for SEQUENCE_RUN packets at most.
    """

    def __init__(self) -> None:
        self.last: int | None = None
        self._runs = self._none()

    def next(self, sequence: int, is_silent: bool) -> bool | None:
        """None: an old packet; else whether it is a restart: not the next of those before."""
        is_restart = self.last is None or is_silent
        if self.last is not None and not is_restart and not self._follows(sequence, self.last):
            # the run that it continues, or else the shortest
            found = next((r for r in self._runs if r[1] and self._follows(sequence, r[0])), None)
            if found is None:
                found = min(self._runs, key=lambda run: run[1])
                found[1:] = 0, 0
            found[0], found[1] = sequence, found[1] + 1
            if found[1] < SEQUENCE_RUN:
                return None
            is_restart = True
        for run in self._runs:
            run[2] += 1
            if run[2] >= SEQUENCE_RUN // 2:
                run[:] = 0, 0, 0
        if is_restart:
            self._runs = self._none()
        self.last = sequence
        return is_restart

    def _none(self) -> list[list[int]]:
        """Of each run its last number, how many came in order, how many others meanwhile."""
        return [[0, 0, 0] for _ in range(SEQUENCE_RUNS)]

    def _follows(self, sequence: int, last: int) -> bool:
        return 0 < (sequence - last) % 2**32 <= SEQUENCE_WINDOW


class HapticSettings(NamedTuple):
    """How a touched point is run."""

    step: float = 1e-3
    """[s]"""
    deadline: float = 1e-3
    """Age of the mechanism's last report beyond which a tick counts as one without [s]."""
    horizon: float = 0.05
    """How long the last report is extrapolated [s]."""
    silence: float = 0.25
    """Age at which the other side counts as gone [s]."""
    fade: float = 0.05
    """Time in which the force comes and goes [s]."""
    blend: float = 5e-3
    """Time in which the point is led to what was reported [s]."""
    force_most: float = 20.0
    """[N]"""
    reserve: float = 0.01
    """Energy that the hand may receive before it gives any [J]."""
    credit_most: float = 1.0
    """Energy given by the hand that is remembered [J]."""
    hand_mass: float = 0.1
    """Of the lightest hand with its device [kg]: how far a force may move it within a tick."""
    is_passive: float = 1.0
    """0: the ledger is kept and nobody minds it."""
    torque_most: float = 1.0
    """[N m]"""
    hand_inertia: float = 1e-4
    """Of the lightest hand with its device [kg m²]: that of 0.1 kg some 3 cm away."""
    supply_most: float = 0.0
    """Power of the mechanism's own motors and weight that the hand may get [W]. With 0 the hand
    gets back what it gave and the reserve, whatever the mechanism says."""
    force_rate: float = math.inf
    """How fast the force may grow or turn [N/s]; it may always fall."""
    torque_rate: float = math.inf
    """[N m/s]"""

    @property
    def numbers(self) -> Floats:
        """As the kernels take them."""
        return np.array(self, dtype=np.float64)

    def checked(self) -> HapticSettings:
        """The same; or UsageError if a setting is not allowed."""
        for name, value, (least, most) in zip(self._fields, self, HAPTIC_RANGES, strict=True):
            # not a number is in no range
            if not (isinstance(value, (int, float)) and least <= value <= most):
                raise UsageError(
                    f"haptic setting {name} must be a number from {least:g} to {most:g}, got "
                    f"{value!r}"
                )
        return self


HAPTIC_RANGES = (
    (1e-5, 0.1), (0, 10), (0, 1), (1e-3, 60), (1e-3, 10), (1e-5, 10), (0, 1e4), (0, 100),
    (0, 1e3), (1e-4, 1e3), (0, 1), (0, 1e3), (1e-9, 1e3), (0, 100), (1e-3, math.inf),
    (1e-3, math.inf),
)  # fmt: skip
"""Least and most of each setting."""


class BoundHapticPoint(Protocol):
    """One touched point, stepped by the caller."""

    def hear(self, sequence: int, now: float, echo: float, reported: Floats, /) -> int:
        """A word of the mechanism: what became of it, as :class:`Heard`."""
        ...

    def tick(
        self,
        now: float,
        x: Floats,
        turn: Floats | None,
        v: Floats,
        is_faulty: bool,
        is_measured: bool = True,
        /,
    ) -> Floats:
        """The force on a hand at x with speed v, (3,) [N].

        With its orientation ``turn`` (wxyz), v has six numbers and a torque [N m] comes too, (6,).
        A place that is not measured is a guess: it counts for the force, not for the energies.
        """
        ...

    def state(self) -> tuple[Floats, float, float, float, float]:
        """The point, its orientation and speeds (13,), strength, energies, one-way delay.

        The energies are what the hand gave and what it was refused [J].
        """
        ...

    def counts(self) -> tuple[int, int, int, int, int, int]:
        """Ticks, new words, ticks without one, old words, nonsense, ticks that were limited."""
        ...

    def refusals(self) -> tuple[int, int, int, int, int]:
        """Words out of bounds, the last field; refused forces, the last reason; jumps of the hand.

        Field and reason are a :class:`WrongField` and a :class:`GateReason`.
        """
        ...

    def energies(self) -> tuple[float, float, float, float]:
        """What the hand gave; of it: what it may take back, what is kept, what was passed on."""
        ...


class BoundHapticLoop(Protocol):
    """A thread that runs a touched point at a fixed rate."""

    @property
    def is_running(self) -> bool:
        """Whether the thread is there."""
        ...

    def link(self, address: str, port: int, host: str, host_port: int, key: bytes, /) -> int:
        """Open the port for the mechanism's words; the port. Key: empty, or what both ends know."""
        ...

    def device(self, address: str, port: int, host: str, host_port: int, key: bytes, /) -> int:
        """Open the port for a device's words; the port."""
        ...

    def hand(self, table: Floats, mass: float, stiffness: float, damping: float, /) -> None:
        """Simulate a hand that follows rows of time, x, y, z, (n, 4)."""
        ...

    def start(self) -> None:
        """Begin."""
        ...

    def stop(self) -> None:
        """End."""
        ...

    def set(self, settings: Floats, /) -> None:
        """Other settings from the next tick on; the rate stays."""
        ...

    def snapshot(self) -> tuple[Floats, float, float, int, float]:
        """Where everything is (25,); energy; strength; trouble; delay.

        Hand, its speed, the force on it, the point, its speed, 3 each; then orientation of the hand
        (4), its angular velocity (3), the torque on it (3).
        """
        ...

    def counts(self) -> tuple[int, ...]:
        """As of a point, then flooded ticks, missed ones, packets sent, and what was refused.

        That is: packets out of bounds, of strangers, without proof, of other sessions, that could
        not be sent; refused forces, jumps. At the end whether in real time, the last
        :class:`WrongField` and the last :class:`GateReason`.
        """
        ...

    def lateness(self) -> tuple[Ints, float, float]:
        """Ticks by microseconds of lateness, the latest one and the longest work [s]."""
        ...
