"""What hands of a page do to a running simulation, and its sliders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from kinegen.studio.wire.message import Message, Quat, Vec3

__all__ = [
    "Release",
    "SetTarget",
    "TargetKind",
    "Touch",
]

TargetKind = Literal["position", "velocity", "effort"]


@dataclass(slots=True)
class Touch(Message):
    """A hand on the running simulation: takes hold or has moved; no answer."""

    KIND: ClassVar[str] = "touch"
    hand: int
    """The page's number for it."""
    site: str
    """Link, frame or object."""
    point: Vec3
    """In its axes [m]."""
    target: Vec3
    """Where the hand or the tip is [m]."""
    normal: Vec3 | None = None
    """Of the surface, world axes: a push; None: a pull."""
    quat: Quat | None = None
    """How the site should be turned, wxyz: a pull that holds the whole pose; None: its place."""


@dataclass(slots=True)
class Release(Message):
    """A hand lets go of the running simulation; no answer."""

    KIND: ClassVar[str] = "release"
    hand: int | None
    """None: all of them."""


@dataclass(slots=True)
class SetTarget(Message):
    """Where a motor of the running simulation should be, how fast or how hard; no answer."""

    KIND: ClassVar[str] = "set_target"
    joint: str
    values: list[float]
    """Numbers of q for a position [rad, m], of v else [rad/s, m/s; N m, N]."""
    what: TargetKind = "position"
