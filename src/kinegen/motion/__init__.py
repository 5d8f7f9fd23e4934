"""Motions over time: recorded by hand, kept with the mechanism, played, changed and written out."""

from kinegen.motion.follow import follow, path_branches
from kinegen.motion.path import Crossing, Path
from kinegen.motion.recording import Recording
from kinegen.motion.timing.timing import retime

__all__ = ["Crossing", "Path", "Recording", "follow", "path_branches", "retime"]
