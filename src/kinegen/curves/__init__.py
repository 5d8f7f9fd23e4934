"""Curves: the ways through space that a frame can follow."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
