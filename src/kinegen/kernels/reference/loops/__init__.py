"""Closed loops: their equations, mobility, velocities."""
