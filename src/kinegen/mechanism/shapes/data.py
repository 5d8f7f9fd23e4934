"""Primitives that links are drawn with, and what they need to know about a model."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kinegen.joint_types import JointType

__all__ = [
    "Array",
    "Box",
    "Capsule",
    "Cylinder",
    "FrameLike",
    "Heights",
    "JointLike",
    "LoopLike",
    "Matrix3",
    "MeshRef",
    "ModelLike",
    "Plate",
    "Primitive",
    "Role",
    "Sphere",
    "Vector3",
]

Array = NDArray[np.float64]
Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]

IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ORIGIN: Vector3 = (0.0, 0.0, 0.0)


class Role(enum.StrEnum):
    """What a primitive stands for; a viewer chooses its colour by it."""

    BAR = "bar"
    JOINT = "joint"
    MOTOR = "motor"
    GROUND = "ground"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Primitive:
    """One simple solid S on a link L."""

    rotation: Matrix3 = IDENTITY
    """R_LS, by rows."""
    translation: Vector3 = ORIGIN
    """p_LS, of the solid's centre [m]."""
    role: Role = Role.BAR
    branch: int = 0
    """Colour index: 0 is ground and platforms, every limb has its own number from 1."""
    tone: int = 0
    """0 or 1, alternating along a limb, so that neighbours differ."""
    color: str | None = None
    """Colour given in the file, which overrides role and branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box(Primitive):
    """A cuboid with edges along its axes."""

    size: Vector3
    """Full edge lengths in x, y, z [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylinder(Primitive):
    """A cylinder along its z axis, centred."""

    radius: float
    """[m]"""
    length: float
    """[m]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule(Primitive):
    """A cylinder along z with a half ball on each end, centred."""

    radius: float
    """[m]"""
    length: float
    """Distance of the two ball centres [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sphere(Primitive):
    """A ball."""

    radius: float
    """[m]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plate(Primitive):
    """A flat convex piece: an outline in its xy plane, thickened along z, centred."""

    outline: tuple[tuple[float, float], ...]
    """Corners, counter-clockwise [m]: what weighs and touches."""
    thickness: float
    """[m]"""
    points: tuple[tuple[float, float], ...] = ()
    """Of a plate with round corners: what they lie around [m]; pictures draw them rounder."""
    radius: float = 0.0
    """Of the round corners [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heights(Primitive):
    """A height field: a grid of heights over its xy plane, solid below; of fixed objects only."""

    rows: tuple[tuple[float, ...], ...]
    """Heights [m]: rows along y, from the smallest y on, each along x."""
    size: tuple[float, float]
    """Of the whole field along x and y [m], centred."""
    depth: float
    """Of the body below 0, or below its lowest height [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshRef(Primitive):
    """A mesh file, as named in the RAFF file."""

    file: str
    scale: Vector3 = (1.0, 1.0, 1.0)


class JointLike(Protocol):
    """What the shapes need to know about a joint."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def type(self) -> JointType: ...  # noqa: D102
    @property
    def parent(self) -> int: ...  # noqa: D102
    @property
    def child(self) -> int: ...  # noqa: D102
    @property
    def is_cut(self) -> bool: ...  # noqa: D102
    @property
    def has_motor(self) -> bool: ...  # noqa: D102
    @property
    def placement(self) -> int: ...  # noqa: D102


class LoopLike(Protocol):
    """What the shapes need to know about a loop: its cut joint and where that one lands."""

    @property
    def joint(self) -> int: ...  # noqa: D102
    @property
    def placement(self) -> int: ...  # noqa: D102


class FrameLike(Protocol):
    """What the shapes need to know about a named frame."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def link(self) -> int: ...  # noqa: D102
    @property
    def placement(self) -> int: ...  # noqa: D102


class ModelLike(Protocol):
    """What the shapes need to know about a compiled model."""

    @property
    def link_names(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def joints(self) -> Sequence[JointLike]: ...  # noqa: D102
    @property
    def loops(self) -> Sequence[LoopLike]: ...  # noqa: D102
    @property
    def frames(self) -> Sequence[FrameLike]: ...  # noqa: D102
    @property
    def transforms(self) -> Array: ...  # noqa: D102
    @property
    def link_shapes(self) -> Sequence[Any]: ...  # noqa: D102
