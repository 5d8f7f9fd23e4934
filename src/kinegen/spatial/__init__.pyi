"""Rotations, poses, twists, wrenches and inertias as small frozen values."""

from kinegen.spatial.inertia import Inertia as Inertia
from kinegen.spatial.twist import Twist as Twist
from kinegen.spatial.twist import Wrench as Wrench
