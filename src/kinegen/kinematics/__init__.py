"""Kinematics of a model: where its parts are, how they move, how far its loops are open."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
