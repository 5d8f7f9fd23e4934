"""Simulation: an engine stepped under control, watched and recorded."""
