"""The haptic process: a compiled thread at 1 kHz between a device and a mechanism's dynamics.

No Python runs in its loop. :class:`HapticProcess` puts one into a process of its own, and
``kinegen touch --dynamics HOST:PORT`` on another machine.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from itertools import pairwise
from types import TracebackType
from typing import Any

import numpy as np

from kinegen.devices.device import Device, address_of
from kinegen.devices.registry import make_device
from kinegen.kernels import Floats, HapticSettings, Ints, haptic_loop

__all__ = ["HapticThread", "Lateness", "Trouble"]

AWAKE = 6e-5
"""Time [s] before a tick in which the thread does not sleep: most machines wake later than asked by
about as much."""


class Trouble(enum.IntEnum):
    """Why there is no force."""

    FINE = 0
    NO_DYNAMICS = 1
    DYNAMICS_SILENT = 2
    DYNAMICS_FLOOD = 3
    NO_DEVICE = 4
    DEVICE_SILENT = 5
    DEVICE_FLOOD = 6

    @property
    def words(self) -> str:
        """For people."""
        return _WORDS[self]


_WORDS = {
    Trouble.FINE: "all is well",
    Trouble.NO_DYNAMICS: "the mechanism has not answered yet: is its process running, and the "
    "address right?",
    Trouble.DYNAMICS_SILENT: "the mechanism fell silent: the force faded to zero",
    Trouble.DYNAMICS_FLOOD: "more packets come from the mechanism's side than it sends: the force "
    "faded to zero",
    Trouble.NO_DEVICE: "the device has not spoken yet: is it on, and the address right?",
    Trouble.DEVICE_SILENT: "the device fell silent: its force faded to zero",
    Trouble.DEVICE_FLOOD: "the device floods the link with packets: its force faded to zero",
}


@dataclass(frozen=True, slots=True, eq=False)
class Lateness:
    """How late the ticks of a thread were."""

    bins: Ints
    """Ticks by whole microseconds; the last bin takes all beyond."""
    latest: float
    """[s]"""
    longest: float
    """Longest work of one tick [s]."""

    @property
    def ticks(self) -> int:
        """How many there were."""
        return int(self.bins.sum())

    def percentile(self, percent: float) -> float:
        """Lateness that so many percent of the ticks do not exceed [s]."""
        share = np.cumsum(self.bins) / max(1, self.ticks)
        return float(np.searchsorted(share, percent / 100 - 1e-12) + 1) * 1e-6

    def rows(self) -> list[tuple[str, int]]:
        """A histogram for people."""
        edges = [0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, len(self.bins)]
        names = [f"< {b} µs" for b in edges[1:-1]] + [f">= {edges[-2]} µs"]
        sums = [int(self.bins[a:b].sum()) for a, b in pairwise(edges)]
        return list(zip(names, sums, strict=True))


class HapticThread:
    """A device, coupled to one point of a mechanism by a thread at a fixed rate."""

    def __init__(
        self,
        device: Device | None = None,
        *,
        settings: HapticSettings | None = None,
        listen: str = "127.0.0.1:0",
        dynamics: str = "",
        awake: float = AWAKE,
        is_empty: bool = False,
    ) -> None:
        """Set it up; it starts with ``start`` or as a context.

        Args:
            device: Where the hand is; None: a hand at the origin.
            settings: Rate, deadline, limits.
            listen: Where the mechanism's words come in, "host:port".
            dynamics: Where the mechanism is, "host:port"; none: who speaks first.
            awake: It does not sleep that long before a tick [s].
            is_empty: Only keep time, to compare with.
        """
        self.settings = settings or HapticSettings()
        self.device = device
        self.loop = haptic_loop(self.settings, awake, is_empty)
        self.port = 0
        """Where it listens for the mechanism."""
        if not is_empty:
            peer = address_of(dynamics) if dynamics else ("", 0)
            self.port = self.loop.link(*address_of(listen), *peer)
            (device or make_device("hand")).connect(self)

    def start(self) -> None:
        """Begin."""
        self.loop.start()

    def stop(self) -> None:
        """End; what was counted stays."""
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
        """Change settings while it runs; the rate stays."""
        self.settings = self.settings._replace(**changes)
        self.loop.set(self.settings.numbers)

    @property
    def trouble(self) -> Trouble:
        """What is wrong, if anything."""
        return Trouble(self.loop.snapshot()[3])

    @property
    def hand(self) -> Floats:
        """Place of the hand [m], (3,)."""
        return self.loop.snapshot()[0][:3]

    @property
    def force(self) -> Floats:
        """On the hand [N], (3,)."""
        return self.loop.snapshot()[0][6:9]

    @property
    def torque(self) -> Floats:
        """On the hand [N m], (3,); zero where the device does not know how it is turned."""
        return self.loop.snapshot()[0][22:25]

    @property
    def energy(self) -> float:
        """That the hand gave so far [J]; negative: it got some."""
        return self.loop.snapshot()[1]

    @property
    def lateness(self) -> Lateness:
        """Of all ticks so far."""
        bins, latest, longest = self.loop.lateness()
        return Lateness(bins, latest, longest)

    def report(self) -> dict[str, Any]:
        """What happened, in numbers and words."""
        names = "ticks fresh reused old bad limited flooded missed sent real_time".split()
        counts = dict(zip(names, (int(n) for n in self.loop.counts()), strict=True))
        late = self.lateness
        numbers, energy, strength, trouble, delay = self.loop.snapshot()
        return {
            **counts,
            "trouble": Trouble(trouble).words,
            "delay": delay,
            "strength": strength,
            "energy": energy,
            "hand": numbers[:3].tolist(),
            "force": numbers[6:9].tolist(),
            "torque": numbers[22:25].tolist(),
            "lateness": {
                "median": late.percentile(50),
                "p99": late.percentile(99),
                "p99.9": late.percentile(99.9),
                "latest": late.latest,
                "longest_work": late.longest,
            },
        }
