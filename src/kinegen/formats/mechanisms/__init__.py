"""Formats of mechanisms, in and out."""
