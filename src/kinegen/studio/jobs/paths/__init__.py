"""Paths as a page describes and takes them."""
