"""Rotations, poses, twists, wrenches and inertias as small frozen values."""

from typing import TYPE_CHECKING

from kinegen.lazy import fetcher

if TYPE_CHECKING:
    from kinegen.spatial.inertia import Inertia
    from kinegen.spatial.pose import SE3
    from kinegen.spatial.rotation import SO3
    from kinegen.spatial.twist import Twist, Wrench

_HOMES = {"inertia": "Inertia", "pose": "SE3", "rotation": "SO3", "twist": "Twist Wrench"}

__all__ = ["SE3", "SO3", "Inertia", "Twist", "Wrench"]

if not TYPE_CHECKING:  # type checkers see the names themselves
    __getattr__ = fetcher(__name__, _HOMES)
