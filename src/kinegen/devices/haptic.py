"""The haptic process: a compiled thread at 1 kHz between a device and a mechanism's dynamics.

No Python runs in its loop. :class:`HapticProcess` puts one into a process of its own, and
``kinegen touch --dynamics HOST:PORT`` on another machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from types import TracebackType
from typing import Any

import numpy as np

from kinegen.devices.device import Device, DeviceLimits, Trouble, address_of
from kinegen.devices.key import is_loopback, key_of, require_key
from kinegen.devices.registry import make_device
from kinegen.errors import UsageError
from kinegen.kernels import (
    Floats,
    GateReason,
    HapticSettings,
    Ints,
    WrongField,
    haptic_loop,
)
from kinegen.results import Result

__all__ = ["HapticReport", "HapticThread", "Lateness", "Trouble"]

AWAKE = 6e-5
"""Time [s] before a tick in which the thread does not sleep: most machines wake later than asked by
about as much."""

_COUNTED = (
    "ticks", "fresh", "reused", "old", "bad", "limited", "flooded", "missed", "sent", "wrong",
    "strangers", "unproven", "waiting", "unsent", "gated", "jumps", "real_time",
)  # fmt: skip
"""What the loop counts, in its order."""


@dataclass(frozen=True, slots=True, eq=False)
class Lateness(Result):
    """Lateness of the ticks of a thread."""

    bins: Ints
    """Ticks by lateness in whole microseconds; the last bin counts all later ones."""
    latest: float
    """[s]"""
    longest: float
    """Longest work of one tick [s]."""

    @property
    def ticks(self) -> int:
        """Number of ticks."""
        return int(self.bins.sum())

    def percentile(self, percent: float) -> float:
        """Lateness that a given percentage of the ticks does not exceed [s]."""
        share = np.cumsum(self.bins) / max(1, self.ticks)
        return float(np.searchsorted(share, percent / 100 - 1e-12) + 1) * 1e-6

    def histogram(self) -> dict[str, int]:
        """Histogram of the lateness, as text."""
        edges = [0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, len(self.bins)]
        names = [f"< {b} µs" for b in edges[1:-1]] + [f">= {edges[-2]} µs"]
        sums = [int(self.bins[a:b].sum()) for a, b in pairwise(edges)]
        return dict(zip(names, sums, strict=True))

    def columns(self) -> dict[str, list[str] | list[int]]:
        """The histogram."""
        found = self.histogram()
        return {"lateness": list(found), "ticks": list(found.values())}

    def to_dict(self) -> dict[str, Any]:
        """Percentiles of the lateness, and the largest one [s]."""
        return {
            "median": self.percentile(50),
            "p99": self.percentile(99),
            "p99.9": self.percentile(99.9),
            "latest": self.latest,
            "longest_work": self.longest,
        }


@dataclass(frozen=True, slots=True, eq=False)
class HapticReport(Result):
    """The report of a haptic thread so far."""

    ticks: int
    """Number of ticks so far."""
    fresh: int
    """Ticks with a new state of the mechanism."""
    reused: int
    """Ticks with the previous state."""
    old: int
    """Packets that were late or duplicate."""
    bad: int
    """Packets that were malformed."""
    limited: int
    """Ticks in which the force was limited."""
    flooded: int
    """Ticks in a flood of packets."""
    missed: int
    """Ticks that were skipped because they were too late."""
    sent: int
    """Packets that were sent."""
    wrong: int
    """Packets whose numbers were out of bounds."""
    strangers: int
    """Packets from other addresses."""
    unproven: int
    """Packets without a valid proof."""
    waiting: int
    """Packets of a peer that had not identified itself yet."""
    unsent: int
    """Packets that could not be sent."""
    gated: int
    """Forces that were refused."""
    jumps: int
    """Jumps of the hand."""
    real_time: int
    """Whether the thread runs with real-time priority, 1 or 0."""
    wrong_field: str
    """The numbers that were last out of bounds; empty if none were."""
    gate: str
    """Why a force was last refused; empty if none was."""
    trouble: str
    """What is wrong, in words."""
    delay: float
    """Half of the round trip to the mechanism [s]."""
    strength: float
    """Share of the force that acts, 0 … 1."""
    energy: float
    """Energy that the hand has given so far [J]; negative if it received energy."""
    hand: Floats
    """Position of the hand [m], (3,)."""
    force: Floats
    """On the hand [N], (3,)."""
    torque: Floats
    """On the hand [N m], (3,)."""
    lateness: Lateness
    """Lateness of its ticks."""


class HapticThread:
    """Couples a device to one point of a mechanism by a thread at a fixed rate."""

    def __init__(
        self,
        device: Device | None = None,
        *,
        settings: HapticSettings | None = None,
        listen: str = "",
        dynamics: str = "",
        key: bytes | str | None = None,
        awake: float = AWAKE,
        is_empty: bool = False,
    ) -> None:
        """Set it up; it starts with ``start`` or as a context.

        Args:
            device: Where the hand is; None: a hand at the origin.
            settings: Rate, deadline, limits.
            listen: Where packets of the mechanism arrive, "host:port"; none: any port, of this
                machine alone if the mechanism is here.
            dynamics: Where the mechanism is, "host:port"; none: the first sender.
            key: What both ends of the link to the mechanism know; needed when that is on another
                machine. None: that of the environment variable KINEGEN_HAPTIC_KEY, if any.
            awake: Time before each tick in which the thread does not sleep [s].
            is_empty: Whether it only keeps time, for comparisons.
        """
        if not 0 <= awake <= 0.1:
            raise UsageError(f"awake must be a time from 0 to 0.1 s, got {awake!r}")
        found = key_of(key)
        self._may_supply = bool(found)
        self.device = device
        self.limits: DeviceLimits | None = getattr(device, "limits", None)
        self.settings = self._allowed(settings or HapticSettings())
        self.loop = haptic_loop(self.settings, awake, is_empty)
        self.port = 0
        """Where it listens for the mechanism."""
        if not is_empty:
            peer = address_of(dynamics) if dynamics else ("", 0)
            if not listen:
                listen = "127.0.0.1:0" if not dynamics or is_loopback(peer[0]) else "0.0.0.0:0"
            place = address_of(listen)
            require_key(found, place[0], peer[0])
            self.port = self.loop.link(*place, *peer, found)
            (device or make_device("hand")).connect(self)

    def _allowed(self, settings: HapticSettings) -> HapticSettings:
        """Settings, checked, within the limits of the device."""
        settings = settings.checked()
        if not settings.is_passive:
            raise UsageError("a thread is always passive: only kernels accept is_passive=0")
        if settings.supply_most > 0 and not self._may_supply:
            raise UsageError(
                "only a mechanism that proves its identity may supply power to a hand: specify a "
                "key, "
                "or leave supply_most at 0"
            )
        return settings if self.limits is None else self.limits.within(settings)

    def start(self) -> None:
        """Begin."""
        self.loop.start()

    def stop(self) -> None:
        """Stop the thread; its counts remain."""
        self.loop.stop()
        if self.device is not None:
            self.device.close()

    def __enter__(self) -> HapticThread:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.stop()

    def tune(self, **changes: float) -> None:
        """Change settings while the thread runs, except the rate."""
        self.settings = self._allowed(self.settings._replace(**changes))
        self.loop.set(self.settings.numbers)

    @property
    def trouble(self) -> Trouble:
        """What is wrong, if anything."""
        return Trouble(self.loop.snapshot()[3])

    @property
    def hand(self) -> Floats:
        """Position of the hand [m], (3,)."""
        return self.loop.snapshot()[0][:3]

    @property
    def force(self) -> Floats:
        """On the hand [N], (3,)."""
        return self.loop.snapshot()[0][6:9]

    @property
    def torque(self) -> Floats:
        """Torque on the hand [N m], (3,); zero if the device has no orientation."""
        return self.loop.snapshot()[0][22:25]

    @property
    def energy(self) -> float:
        """Energy that the hand has given so far [J]; negative if it received energy."""
        return self.loop.snapshot()[1]

    @property
    def lateness(self) -> Lateness:
        """Lateness of all ticks so far."""
        bins, latest, longest = self.loop.lateness()
        return Lateness(bins, latest, longest)

    def report(self) -> HapticReport:
        """Counts, forces and troubles so far."""
        *rest, wrong, gate = (int(n) for n in self.loop.counts())
        counts: dict[str, Any] = dict(zip(_COUNTED, rest, strict=True))
        numbers, energy, strength, trouble, delay = self.loop.snapshot()
        return HapticReport(
            **counts,
            wrong_field=WrongField(wrong).name.lower() if wrong else "",
            gate=GateReason(gate).name.lower() if gate else "",
            trouble=Trouble(trouble).words,
            delay=delay,
            strength=strength,
            energy=energy,
            hand=numbers[:3],
            force=numbers[6:9],
            torque=numbers[22:25],
            lateness=self.lateness,
        )
