"""Other file formats, in and out: pictures, Denavit-Hartenberg tables, SYMORO files."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
