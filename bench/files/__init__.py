"""Benches of reading and editing, and of a fresh process."""
