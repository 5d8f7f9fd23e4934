"""Formulas: text to tokens to a stack of operations."""
