"""Live: Python programs and the page share one session of the studio."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
