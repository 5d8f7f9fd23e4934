"""Bridges: a simulated robot on the wires that real ones have, for unmodified control software."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
