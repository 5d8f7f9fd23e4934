"""Closed-form inverse kinematics."""
