"""Agents of a world: Python functions, classes, and programs in any language."""
