"""Wire: one protocol at one address; what plug-ins of the group ``kinegen.bridges`` are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from kinegen.bridges.robot import Robot
from kinegen.bridges.traffic import Traffic

__all__ = ["Wire", "WireOptions"]


@dataclass(frozen=True, slots=True)
class WireOptions:
    """Where a wire is, and what a user says about it."""

    host: str = "127.0.0.1"
    port: int | None = None
    """Of a TCP address; None: the protocol's own, or any that is free."""
    tcp: bool = False
    """Whether a serial protocol has a TCP address instead of a terminal."""
    robot: str = ""
    """The included robot whose servos it has, where robots of one file have a wire each."""
    origins: tuple[str, ...] = ()
    """Web pages that may connect beside those of this machine, such as https://example.org; ``*``:
    all."""


class Wire(ABC):
    """A protocol at an address. All methods run in one event loop, that of all wires.

    A method must not wait: robot.look() and robot.send() return at once.
    """

    holds: ClassVar[bool] = False
    """Whether a robot with this wire has its motors on when it is switched on."""

    uses_port: ClassVar[bool] = True
    """Whether it has a TCP address by nature; serial protocols have one only on request."""

    connects: ClassVar[str] = ""
    """What connects to it, in a few words."""

    packages: ClassVar[tuple[str, ...]] = ()
    """Modules that it needs and that Kinegen does not install by itself."""

    PORT: ClassVar[int | None] = None
    """The protocol's usual port, where it has one."""

    def __init__(self, kind: str, robot: Robot, options: WireOptions) -> None:
        """Not open yet.

        Args:
            kind: The name it was asked for by.
            robot: What it speaks for.
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
        """Begin to listen, and set :attr:`endpoint`."""

    @abstractmethod
    async def close(self) -> None:
        """Give back all it holds."""

    @property
    def client_count(self) -> int | None:
        """How many clients are connected; None where a wire cannot know."""
        return None

    def words(self, packet: bytes, answers: bool) -> str:
        """What a packet says, for people; ``answers``: whether the robot sent it."""
        return packet.decode("ascii", "backslashreplace").strip()

    def facts(self) -> dict[str, Any]:
        """What a user wants to know besides the endpoint: ids, baud rate."""
        return {}
