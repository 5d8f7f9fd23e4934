"""Benches of simulated robots, environments, devices and cameras."""
