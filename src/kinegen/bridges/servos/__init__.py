"""Simulated servos, and the buses on which they are addressed."""
