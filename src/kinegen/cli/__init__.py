"""The command line: one thin command per verb."""

from kinegen.cli.main import main

__all__ = ["main"]
