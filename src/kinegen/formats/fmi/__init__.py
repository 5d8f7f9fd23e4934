"""Mechanisms as co-simulation units of FMI 2 and 3."""
