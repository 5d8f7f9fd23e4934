"""Drive: real servos over the interfaces that bridges simulate, within the limits of the file."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
