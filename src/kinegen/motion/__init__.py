"""Motions over time: paths along curves, grasps, recordings, designs that move as wanted."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
