"""Devices: hands, real or simulated, that feel a mechanism at 1 kHz, here or over the network."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
