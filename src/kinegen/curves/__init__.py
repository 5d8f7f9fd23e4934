"""Curves: what a frame can follow in space."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
