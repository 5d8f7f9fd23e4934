"""Readers: robot files → one neutral robot → mechanism."""
