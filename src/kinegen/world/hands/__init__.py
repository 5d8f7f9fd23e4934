"""Hands on a world: those of a program, and those that a file moves along a route."""
