"""Gymnasium environments: importing this package registers them, as ``kinegen/Reach-v0``."""

from kinegen.gym import registry as registry
from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
