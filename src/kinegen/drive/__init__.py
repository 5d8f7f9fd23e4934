"""Drive: real servos on the wires that bridges simulate, moved within the limits of the file."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
