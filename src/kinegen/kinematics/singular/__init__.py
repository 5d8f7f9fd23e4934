"""Singular poses: how near they are, what lies beyond them, and how to cross."""
