"""Port: real servos on a serial port, in the units of their joints."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kinegen.bridges.servos.wiring import Maker, Shaft
from kinegen.drive.sdk import pyserial
from kinegen.errors import KinegenError, LinkError, UsageError
from kinegen.kernels import Floats
from kinegen.results import Result

__all__ = ["Port", "Reading", "Sample"]

MARGIN = 1.5
"""A servo's own speed limit, in multiples of the speed at which its goals move."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading(Result):
    """Measurements of all servos at one time, (n,) each; NaN where a servo does not measure."""

    positions: Floats
    """Positions of the joints [rad, m]."""
    velocities: Floats
    """[rad/s, m/s]"""
    loads: Floats
    """Effort as a share of the largest effort; positive towards larger positions."""
    currents: Floats
    """[A], with the signs of the loads."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A reading, and what the servos were asked when it was taken."""

    time: float
    """Of a monotonic clock [s]."""
    reading: Reading
    goals: Floats
    """The last that were written before, (n,) [rad, m]; NaN: none."""


class Port(ABC):
    """Servos on a serial port. Only one thread at a time may use it."""

    maker: ClassVar[Maker]
    measures: ClassVar[bool] = True
    """Whether servos measure their positions."""

    def __init__(self, path: str, shafts: Sequence[Shaft]) -> None:
        """All servos of a bus; :meth:`open` opens the port.

        Raises:
            UsageError: Servos of one bus have different speeds.
        """
        self.path, self.shafts = path, tuple(shafts)
        bauds = {one.baud for one in shafts}
        if len(bauds) > 1:
            raise UsageError(
                f"servos on one port need one speed, but the file gives "
                f"{', '.join(map(str, sorted(bauds)))} bit/s"
            )
        self.baud = bauds.pop()

    @property
    def ids(self) -> tuple[int, ...]:
        """Of the servos, in the order of the file."""
        return tuple(one.id for one in self.shafts)

    @property
    def cycle(self) -> float:
        """Shortest time between two goals [s], if the port accepts them faster than it sends."""
        return 0.0

    @abstractmethod
    def open(self) -> None:
        """Open the port and find all servos.

        Raises:
            LinkError: The port cannot be opened, or servos do not answer.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the port; the servos stay as they are."""

    @abstractmethod
    def read(self) -> Reading | None:
        """What the servos measure now; None when not all have answered."""

    @abstractmethod
    def write(self, values: Floats) -> None:
        """Send the goals of all joints [rad, m]."""

    @abstractmethod
    def set_torque(self, on: bool) -> None:
        """Switch all motors on or off."""

    @abstractmethod
    def set_limits(self, speeds: Floats, effort: float) -> None:
        """Speeds of the joints [rad/s, m/s], and the share of the largest effort."""

    # For subclasses

    def positions(self, ticks: Sequence[float]) -> Floats:
        """Values of the joints at steps of their encoders."""
        pairs = zip(self.shafts, ticks, strict=True)
        return np.array([shaft.from_ticks(step) for shaft, step in pairs])

    def ticks(self, values: Floats) -> list[int]:
        """Steps of the encoders at values of the joints."""
        pairs = zip(self.shafts, values, strict=True)
        return [round(shaft.to_ticks(shaft.to_angle(float(value)))) for shaft, value in pairs]

    def refuse_missing(self, missing: Sequence[int], hint: str = "") -> None:
        """Name servos that do not answer."""
        if missing:
            names = {one.id: one.data.name for one in self.shafts}
            listed = ", ".join(f"{one} ({names[one]})" for one in missing)
            raise LinkError(
                f"port '{self.path}': no answer from {len(missing)} of {len(self.ids)} servos at "
                f"{self.baud} bit/s: id {listed}; {hint or 'check the supply and the cables'}"
            )

    @contextlib.contextmanager
    def opening(self) -> Iterator[None]:
        """Turn errors while a port is opened into one sentence."""
        try:
            yield
        except KinegenError:
            raise
        except (OSError, ValueError) as error:
            listed = sorted(one.device for one in pyserial().tools.list_ports.comports())
            known = f"; ports: {', '.join(listed)}" if listed else "; there are no serial ports"
            number = getattr(error, "errno", None)
            reason = {2: "it does not exist", 13: "permission denied", 16: "it is in use"}.get(
                number or 0, str(error)
            )
            raise LinkError(f"port '{self.path}' cannot be opened: {reason}{known}") from None

    @contextlib.contextmanager
    def alive(self) -> Iterator[None]:
        """Turn errors after a port has disappeared into one sentence."""
        try:
            yield
        except KinegenError:
            raise
        except _lost_errors() as error:
            raise LinkError(f"port '{self.path}' was lost: {error}") from None


def _lost_errors() -> tuple[type[Exception], ...]:
    try:
        import termios
    except ImportError:  # Windows
        return (OSError,)
    return (OSError, termios.error)
