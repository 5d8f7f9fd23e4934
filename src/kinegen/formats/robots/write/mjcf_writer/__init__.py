"""Outline → MJCF files."""
