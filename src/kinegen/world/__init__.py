"""Worlds: robots, objects, sensors and agents, and the one cycle that moves them."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
