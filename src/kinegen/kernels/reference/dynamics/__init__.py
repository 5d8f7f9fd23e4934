"""Dynamics of the tree."""
