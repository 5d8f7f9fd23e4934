"""Rotations, poses, twists, wrenches and inertias as small frozen values."""

from kinegen.spatial.inertia import Inertia
from kinegen.spatial.pose import SE3
from kinegen.spatial.rotation import SO3
from kinegen.spatial.twist import Twist, Wrench

__all__ = ["SE3", "SO3", "Inertia", "Twist", "Wrench"]
