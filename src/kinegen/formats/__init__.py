"""Other file formats, to read and to write: robot files, pictures, parts for the workshop."""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
