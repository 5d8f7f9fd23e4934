"""Signals of a world: their values, overrides and units."""
