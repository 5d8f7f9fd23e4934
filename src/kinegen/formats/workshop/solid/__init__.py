"""Solid parts of any mechanism: bodies to print or to mill."""
