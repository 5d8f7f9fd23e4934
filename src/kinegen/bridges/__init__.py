"""Bridges: simulated robots with the interfaces of real ones, for unmodified control software."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
