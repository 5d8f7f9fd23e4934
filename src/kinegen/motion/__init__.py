"""Motions over time: recorded by hand, kept with the mechanism, played, changed and written out."""

from kinegen.motion.recording import Recording

__all__ = ["Recording"]
