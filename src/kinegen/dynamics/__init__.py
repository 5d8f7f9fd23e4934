"""Dynamics of a mechanism: forces and torques for motions, motions for forces, energy."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
