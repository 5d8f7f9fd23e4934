"""The kernels in NumPy, written to be read: the specification of the compiled ones."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
