"""Timing: when each point of a path is passed."""
