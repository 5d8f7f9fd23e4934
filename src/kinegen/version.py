"""Kinegen's version."""

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

try:
    __version__ = version("kinegen")
except PackageNotFoundError:  # run from its sources
    __version__ = "0+unknown"
