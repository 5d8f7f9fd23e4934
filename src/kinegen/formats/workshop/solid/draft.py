"""Draft: a solid part while it is built, joint by joint."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kinegen.kernels import Floats
from kinegen.mechanism.model_parts import ModelJoint
from kinegen.mechanism.shapes.data import Box, Cylinder, Primitive
from kinegen.mechanism.shapes.solid import matrix, vector
from kinegen.spatial.pose import SE3

__all__ = ["Draft", "End", "Travel", "block", "rod", "unit"]


@dataclass(frozen=True, slots=True)
class Travel:
    """How far a slide goes."""

    low: float
    high: float
    """[m]"""
    limited: bool
    """Whether the file says so."""
    telescopes: bool
    """Whether the child has other joints on the slide's own line."""


@dataclass(slots=True, eq=False)
class End:
    """One side of a joint on a part."""

    joint: ModelJoint
    is_child: bool
    X_SJ: SE3
    """The joint's frame on the part."""
    anchor: Floats
    """Where a bar of the part begins [m]."""
    is_boss: bool = False
    """Whether a bar has to get round the pin and the other side of a hinge."""
    room: float = 0.0
    """Radius around its origin in which the other side of a fork swings [m]."""
    place: Floats | None = None
    """Where the rest of the part takes it to be [m]; None: at its origin."""

    @property
    def origin(self) -> Floats:
        """Of the joint [m]."""
        return self.X_SJ.translation

    @property
    def z(self) -> Floats:
        """Direction of the joint's axis."""
        return np.asarray(self.X_SJ.so3.matrix[:, 2])


@dataclass(slots=True, eq=False)
class Draft:
    """A part in the frame of its first link."""

    links: list[int]
    ends: list[End] = field(default_factory=list)
    tools: list[Floats] = field(default_factory=list)
    """Named frames."""
    bodies: list[Primitive] = field(default_factory=list)
    cut: list[Primitive] = field(default_factory=list)
    kept_out: list[Primitive] = field(default_factory=list)
    """Room of other parts: cut from bars, not from bodies."""
    remarks: list[str] = field(default_factory=list)
    """Why it cannot be made."""

    @property
    def hub(self) -> Floats:
        """Where its bars meet [m]."""
        anchors = [end.anchor for end in self.ends]
        return np.asarray(np.mean(anchors + self.tools or [np.zeros(3)], axis=0))

    def others(self, end: End) -> list[Floats]:
        """Where else the part is: its other joints and its frames [m]."""
        places = [
            other.origin if other.place is None else other.place
            for other in self.ends
            if other is not end
        ]
        return places + self.tools

    def inwards(self, end: End) -> Floats:
        """From a joint towards the middle of the rest of the part; zero where there is none [m]."""
        others = self.others(end)
        return np.mean(others, axis=0) - end.origin if others else np.zeros(3)


def rod(X: SE3, radius: float, low: float, high: float) -> Cylinder:
    """A cylinder along z of a frame, from one height to another."""
    low, high = min(low, high), max(low, high)
    middle = X.translation + (low + high) / 2 * X.so3.matrix[:, 2]
    return Cylinder(
        radius=radius, length=high - low, rotation=matrix(X.so3.matrix), translation=vector(middle)
    )


def block(X: SE3, side: float, low: float, high: float) -> Box:
    """A square bar along z of a frame, from one height to another."""
    middle = X.translation + (low + high) / 2 * X.so3.matrix[:, 2]
    return Box(
        size=(side, side, high - low), rotation=matrix(X.so3.matrix), translation=vector(middle)
    )


def unit(way: Floats, otherwise: Floats) -> Floats:
    """A direction, or another one where it has no length."""
    length = float(np.linalg.norm(way))
    return np.asarray(way / length if length > 1e-9 else otherwise)
