"""Zones: where a mechanism with loops gets to."""
