"""Edits of a session: changes, and how they are undone."""
