"""The live simulation: orders, hands, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from kinegen.studio.wire.message import Delivery, Message

__all__ = ["Release", "SetTarget", "Simulate", "Simulation", "TargetKind", "Touch"]

TargetKind = Literal["position", "velocity", "effort"]


@dataclass(slots=True)
class Simulation(Message):
    """How the live simulation of the session stands; its numbers come as binary frames."""

    KIND: ClassVar[str] = "simulation"
    DELIVERY: ClassVar[Delivery] = "snapshot"
    phase: Literal["off", "starting", "running", "paused", "stopped"]
    """'stopped': it ended by itself, for the reason given."""
    reason: str
    settings: dict[str, Any]
    """As in ``LiveSettings``."""
    remarks: list[str]
    """What is doubtful about the mechanism's masses."""
    objects: list[str]
    """Objects of the scene that move by themselves, in the order of the frames."""
    owner: int
    """Client that gets the frames, 0 for nobody; others follow by poses."""
    plan: dict[str, Any] | None = None
    """Of a motion that is followed, what it would hit: ``distance`` [m] or None, ``link``,
    ``object``, and the times ``from`` and ``to`` [s] or None."""
    unknown: str = ""
    """Why forces in the joints cannot be told, in words; '' where they can."""


@dataclass(slots=True)
class Simulate(Message):
    """An order to the live simulation; 'start' makes one, with settings, at a pose."""

    KIND: ClassVar[str] = "simulate"
    request: int
    verb: Literal["start", "play", "pause", "step", "set", "undo", "end"]
    settings: dict[str, Any] = field(default_factory=dict)
    """For start and set: as in ``LiveSettings``."""
    q: list[float] | None = None
    run: bool = True
    """For start: whether it runs at once."""
    count: int = 1
    """For step."""


@dataclass(slots=True)
class Touch(Message):
    """A hand on the running simulation: takes hold or has moved; no answer."""

    KIND: ClassVar[str] = "touch"
    hand: int
    """The page's number for it."""
    site: str
    """Link, frame or object."""
    point: tuple[float, float, float]
    """In its axes [m]."""
    target: tuple[float, float, float]
    """Where the hand or the tip is [m]."""
    normal: tuple[float, float, float] | None = None
    """Of the surface, world axes: a push; None: a pull."""
    quat: tuple[float, float, float, float] | None = None
    """How the site should be turned, wxyz: a pull that holds the whole pose; None: its place."""


@dataclass(slots=True)
class Release(Message):
    """A hand lets go of the running simulation; no answer."""

    KIND: ClassVar[str] = "release"
    hand: int


@dataclass(slots=True)
class SetTarget(Message):
    """Where a motor of the running simulation should be, how fast or how hard; no answer."""

    KIND: ClassVar[str] = "set_target"
    joint: str
    values: list[float]
    """Numbers of q for a position [rad, m], of v else [rad/s, m/s; N m, N]."""
    what: TargetKind = "position"
