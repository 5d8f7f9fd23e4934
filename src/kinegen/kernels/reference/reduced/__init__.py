"""The engine reduced."""
