"""Where a mechanism can go: clouds, zones, their boundary and size, joint maps, backlash."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
