"""Dynamics: what mechanisms with masses do under forces."""
