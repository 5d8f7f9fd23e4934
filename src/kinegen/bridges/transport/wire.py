"""Wire: one protocol at one address; what plug-ins of the group ``kinegen.bridges`` are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from kinegen.bridges.robot import Robot
from kinegen.bridges.transport.traffic import Traffic

__all__ = ["Wire", "WireOptions"]


@dataclass(frozen=True, slots=True)
class WireOptions:
    """Address and options of a wire."""

    host: str = "127.0.0.1"
    port: int | None = None
    """TCP port; None: the protocol's own, or any that is free."""
    tcp: bool = False
    """Whether a serial protocol has a TCP address instead of a terminal."""
    robot: str = ""
    """The included robot whose servos are on this wire, if each robot has its own wire."""
    origins: tuple[str, ...] = ()
    """Origins of further web pages that may connect, besides those of this machine, such as
    https://example.org; ``*``: all."""


class Wire(ABC):
    """A protocol at an address. The methods of all wires run in the same event loop.

    No method may block: robot.look() and robot.send() return at once.
    """

    holds: ClassVar[bool] = False
    """Whether the motors of a robot with this protocol are on from the start."""

    uses_port: ClassVar[bool] = True
    """Whether it always has a TCP address; serial protocols have one only on request."""

    connects: ClassVar[str] = ""
    """What connects to it, in a few words."""

    packages: ClassVar[tuple[str, ...]] = ()
    """Modules that it needs and that Kinegen does not install by itself."""

    PORT: ClassVar[int | None] = None
    """The protocol's usual port, where it has one."""

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """Set up a wire, which is not open yet.

        Args:
            kind: Name of the protocol, as requested.
            robot: The simulated robot.
            options: Its address.
        """
        self.kind, self.robot, self.options = kind, robot, options
        self.traffic = Traffic(self.words)
        self.endpoint = ""
        """Device path or ``host:port``, when it is open."""

    @classmethod
    def groups(cls, robot: Robot) -> list[str]:
        """Included robots that need a wire each; one empty name: one wire has them all."""
        return [""]

    @abstractmethod
    async def open(self) -> None:
        """Start listening, and set :attr:`endpoint`."""

    @abstractmethod
    async def close(self) -> None:
        """Release all resources."""

    @property
    def client_count(self) -> int | None:
        """Number of connected clients; None where it is unknown."""
        return None

    def words(self, packet: bytes, answers: bool) -> str:
        """A packet as text for people; ``answers``: whether the robot sent it."""
        return packet.decode("ascii", "backslashreplace").strip()

    def facts(self) -> dict[str, Any]:
        """Further facts for the user, such as ids and baud rate."""
        return {}
