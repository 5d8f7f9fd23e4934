"""Sensors of a world, one file per type."""
