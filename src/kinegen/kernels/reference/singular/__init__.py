"""Singular poses: how near, what lies ahead and beyond."""
