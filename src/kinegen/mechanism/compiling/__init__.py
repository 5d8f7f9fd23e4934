"""Mechanism → Model."""
