"""Mechanisms as Python programs that build them, and back without running them."""
