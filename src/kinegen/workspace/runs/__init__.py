"""Clouds too large for memory: their stores, made piece by piece."""
