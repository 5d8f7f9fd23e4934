"""Processes, threads and memory of the studio."""
