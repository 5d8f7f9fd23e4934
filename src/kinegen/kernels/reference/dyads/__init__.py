"""Planar linkages in closed form."""
