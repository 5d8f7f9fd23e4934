"""Contacts between shapes in NumPy."""
