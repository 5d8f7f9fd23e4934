"""Logs of a world: streamed to a file while it runs, and read back."""
