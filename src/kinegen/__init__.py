"""Kinegen: describe any mechanism in a few lines; see it, move it, measure it.

Importing costs next to nothing: each name is fetched at first use. ``__init__.pyi`` lists them.
"""

from kinegen.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
