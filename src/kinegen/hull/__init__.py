"""Avatars from cameras: visual hulls carved from silhouettes, and where pictures come from."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
