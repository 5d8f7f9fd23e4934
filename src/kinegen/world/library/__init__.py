"""Agents of the worlds in the library."""
