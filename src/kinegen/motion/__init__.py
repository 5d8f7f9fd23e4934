"""Motions over time: paths along curves, grasps, recordings, designs for a given motion."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
