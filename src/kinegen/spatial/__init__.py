"""Rotations, poses, twists, wrenches and inertias as small frozen values."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
